package command

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
)

// Exit codes.
const (
	exitOK       = 0
	exitNegative = 1 // there are findings, the impact is not empty, or the request fails
	exitFailed   = 2 // nothing could be computed
)

const usage = `Analyzes Kuma resources: the plan of Terraform or OpenTofu, YAML documents, or what a
control plane stores.

Usage: terraform-provider-kuma COMMAND [OPTION]... PATH...

  review PLAN         show what a plan does to a mesh, and refuse it if it must not do that
  lint PATH           find errors and ineffective settings of a mesh
  impact BEFORE AFTER compare the settings of all proxies before and after a change
  request PATH        show what happens to a request
  access PATH         show which clients may call which services
  rules PATH          show the effective rules of a proxy, or of all proxies
  page PATH           write an HTML page about a mesh
  proxies             show the running proxies of a control plane
  upgrade PATH        show what is left to do before Kuma 3.0, and rewrite the documents

A PATH is a file, a directory with files *.yaml, *.yml and *.json at any depth, or - for
the standard input. Without one, a command reads the control plane of -endpoint, -context
or KUMA_ENDPOINT. A PLAN is the output of "terraform show -json PLANFILE".

"terraform-provider-kuma COMMAND -help" lists the options of a command. Without a command,
-version prints the version, and -debug serves the provider to a debugger.

The exit code is 0; or 1 if review refuses the plan, lint finds errors, impact -exit-code
finds changes, the request fails, or something is left to do before an upgrade; or 2 if
nothing could be computed.
`

// Usage writes what the commands are.
func Usage(w io.Writer) { _, _ = io.WriteString(w, usage) }

// described returns what the usage says about a command: "Show which clients may call which services".
func described(name string) string {
	for line := range strings.Lines(usage) {
		if rest, ok := strings.CutPrefix(line, "  "+name+" "); ok {
			what := strings.TrimSpace(strings.TrimLeft(rest, "ABCDEFGHIJKLMNOPQRSTUVWXYZ "))
			return strings.ToUpper(what[:1]) + what[1:]
		}
	}
	return ""
}

// streams are the standard input and outputs of a command.
type streams struct {
	version  string // of the program
	in       io.Reader
	out, err io.Writer
}

// errUsage reports wrong arguments, about which the user has been told.
var errUsage = errors.New("wrong arguments")

// Run executes the command that arguments name, and returns the exit code. Without any, it
// prints the usage.
func Run(ctx context.Context, version string, arguments []string, in io.Reader, out, errs io.Writer) int {
	if len(arguments) == 0 {
		Usage(errs)
		return exitFailed
	}
	commands := map[string]func(context.Context, []string, streams) (int, error){
		"lint": runLint, "impact": runImpact,
		"request": runRequest, "access": runAccess, "rules": runRules, "review": runReview, "page": runPage, "upgrade": runUpgrade,
		"proxies": runProxies,
	}
	run, ok := commands[arguments[0]]
	if !ok {
		switch arguments[0] {
		case "help", "-h", "-help", "--help":
			Usage(out)
			return exitOK
		case "version":
			fmt.Fprintln(out, "terraform-provider-kuma "+version)
			return exitOK
		}
		fmt.Fprintf(errs, "\"terraform-provider-kuma help\" lists the commands.\nError: %q is not a command.%s\n", arguments[0],
			phrase.Suggest(arguments[0], slices.Sorted(maps.Keys(commands))))
		return exitFailed
	}
	code, err := run(ctx, arguments[1:], streams{version, in, out, errs})
	switch {
	case errors.Is(err, flag.ErrHelp):
		return exitOK
	case errors.Is(err, errUsage):
		return exitFailed
	case err != nil:
		printError(errs, err)
		return exitFailed
	}
	return code
}

// printError writes an error, or each of several.
func printError(w io.Writer, err error) {
	for _, err := range phrase.Errors(err) {
		text := phrase.Sentence(err)
		if file, ok := err.(fileError); ok { //nolint:errorlint // not in a chain
			text = file.path + ": " + phrase.Clause(file.error)
		}
		fmt.Fprintf(w, "Error: %s\n", phrase.Printable(text))
	}
}

// options are the options of all commands.
type options struct {
	*flag.FlagSet
	streams
	mesh, format string
	requested    kuma.Release
	shadow       bool
	formats      []string
	usage        func() // writes the usage
	needs        string // what the command reads
}

func newOptions(name, paths string, s streams, formats ...string) *options {
	o := &options{FlagSet: flag.NewFlagSet(name, flag.ContinueOnError), streams: s, formats: append([]string{"text", "json"}, formats...)}
	if o.needs = "a path, or a control plane"; paths == "" {
		o.needs = "a control plane"
	}
	o.SetOutput(io.Discard) // of what is wrong
	o.Usage = func() {}
	o.usage = func() {
		fmt.Fprintln(s.err, strings.TrimSpace(fmt.Sprintf("Usage: terraform-provider-kuma %s [OPTION]... %s", name, paths)))
		if what := described(name); what != "" {
			fmt.Fprintf(s.err, "\n%s.\n", what)
		}
		fmt.Fprint(s.err, "\nOptions:\n")
		o.SetOutput(s.err)
		o.PrintDefaults()
	}
	o.StringVar(&o.mesh, "mesh", "", "`name` of the mesh, by default all")
	o.StringVar(&o.format, "format", "text", "format of the result: "+phrase.Or(o.formats...))
	if paths == "" {
		return o // it computes nothing
	}
	o.Func("kuma-version", "`release` of Kuma whose rules apply, such as 2.14; by default, of the control plane that has stored the resources",
		func(v string) (err error) {
			if v != "" { // as in a workflow that does not set it
				o.requested, err = input.ParseVersion(v)
			}
			return err
		})
	o.BoolVar(&o.shadow, "with-shadow", false, "treat shadow policies as if they were in effect")
	return o
}

// parse returns the paths among the arguments, which options may follow.
func (o *options) parse(arguments []string, least, most int) ([]string, error) {
	var found []string
	for len(arguments) > 0 {
		switch err := o.Parse(arguments); {
		case errors.Is(err, flag.ErrHelp):
			o.usage()
			return nil, err
		case err != nil:
			return nil, o.wrong("%s%s", phrase.Sentence(err), o.suggest(err))
		case o.NArg() == 0:
			arguments = nil
		default:
			found, arguments = append(found, o.Arg(0)), o.Args()[1:]
		}
	}
	switch n := len(found); {
	case n > most && most == 0:
		return nil, o.wrong("%s takes no path: it reads a control plane.", o.Name())
	case n < least, n > most && least == most:
		return nil, o.wrong("%s needs %s.", o.Name(), phrase.Count(least, "path", "paths"))
	case n > most:
		return nil, o.wrong("%s takes at most %s.", o.Name(), phrase.Count(most, "path", "paths"))
	}
	if n := len(slices.DeleteFunc(slices.Clone(found), func(path string) bool { return path != stdin })); n > 1 {
		return nil, o.wrong("Only one path can be the standard input.")
	}
	if !slices.Contains(o.formats, o.format) {
		return nil, o.wrong("%q is not a format of %s. Valid values: %s.", o.format, o.Name(), phrase.Or(o.formats...))
	}
	return found, nil
}

// suggest returns a sentence that offers an option for a misspelled one.
func (o *options) suggest(err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "flag provided but not defined: -")
	if !unknown {
		return ""
	}
	var names []string
	o.VisitAll(func(f *flag.Flag) { names = append(names, "-"+f.Name) })
	return phrase.Suggest("-"+name, names)
}

// wrong tells the user what is wrong with the arguments.
func (o *options) wrong(format string, args ...any) error {
	fmt.Fprintf(o.err, "\"terraform-provider-kuma %s -help\" lists the options.\nError: %s\n", o.Name(),
		phrase.Printable(fmt.Sprintf(format, args...)))
	return errUsage
}

// writeJSON writes a value as indented JSON.
func writeJSON(w io.Writer, result any) error {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(result); err != nil {
		return err
	}
	return writeVisible(w, b.String(), func(r rune) (escaped string) {
		for _, unit := range utf16.AppendRune(nil, r) {
			escaped += fmt.Sprintf(`\u%04x`, unit)
		}
		return escaped
	})
}

// writeText writes a text for people.
func writeText(w io.Writer, text string) error {
	_, err := io.WriteString(w, phrase.PrintableLines(text))
	return err
}

// writeVisible writes a text with escapes for the characters that a terminal would interpret,
// except line breaks.
func writeVisible(w io.Writer, text string, escape func(r rune) string) error {
	var b strings.Builder
	for _, r := range text {
		if r == '\n' || unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			b.WriteString(escape(r))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
