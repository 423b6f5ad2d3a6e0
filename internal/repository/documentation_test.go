package repository

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// The pages that introduce the provider, relative to the root of the repository.
const (
	readme        = "README.md"
	index         = "docs/index.md"
	compatibility = "docs/guides/compatibility.md"
)

// TestGuidesAreListed checks that the index links to every guide, that the guides about findings
// link to their pages, and that the README links to the index.
func TestGuidesAreListed(t *testing.T) {
	t.Parallel()
	guides, err := filepath.Glob("docs/guides/*.md")
	if err != nil || len(guides) == 0 {
		t.Fatalf("no guides: %v", err)
	}
	listed := targetsOf(t, index)
	findings := targetsOf(t, "docs/guides/lint.md", "docs/guides/kuma-3-findings.md")
	for _, guide := range guides {
		if strings.Contains(read(t, guide), "\nsubcategory: \"Findings\"\n") {
			if !findings[filepath.ToSlash(guide)] {
				t.Errorf("no guide about findings links to %s", guide)
			}
		} else if !listed[filepath.ToSlash(guide)] {
			t.Errorf("%s does not link to %s", index, guide)
		}
	}
	if !strings.Contains(read(t, readme), "("+index+")") {
		t.Errorf("%s does not link to %s", readme, index)
	}
}

// targetsOf returns the files that documents link to.
func targetsOf(t *testing.T, files ...string) map[string]bool {
	t.Helper()
	targets := map[string]bool{}
	for _, file := range files {
		for _, target := range linkTargets(read(t, file)) {
			target, _, _ = strings.Cut(target, "#")
			targets[path.Join(path.Dir(file), target)] = true
		}
	}
	return targets
}

// TestIntroductionsAgree checks that the README has the same table of requirements as the guide
// about compatibility.
func TestIntroductionsAgree(t *testing.T) {
	t.Parallel()
	const head = "| Feature | Terraform | OpenTofu |"
	if got, want := tableWith(t, read(t, readme), head), tableWith(t, read(t, compatibility), head); got != want {
		t.Errorf("%s has another table than %s:\n%s", readme, compatibility, got)
	}
}

// TestLinks checks that relative links in documents lead to an existing file and, where
// they name one, to an existing heading.
func TestLinks(t *testing.T) {
	t.Parallel()
	documents := 0
	for _, pattern := range []string{"*.md", ".github/*.md", "internal/*/README.md", "docs/*.md", "docs/*/*.md", "examples/*.md", "examples/*/README.md", "examples/modules/*/README.md"} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("no files match %s: %v", pattern, err)
		}
		for _, file := range files {
			documents++
			text := read(t, file)
			for _, target := range linkTargets(text) {
				checkLink(t, file, text, target)
			}
		}
	}
	t.Logf("%d documents", documents)
}

// widestLine is the number of characters of a line of code that fits on a page without
// scrolling.
const widestLine = 100

var (
	terraformBlock = regexp.MustCompile("(?ms)^ *```terraform\n(.*?)^ *```")
	// unbreakable matches arguments that are one string.
	unbreakable = regexp.MustCompile(`^ *(description|error_message) += "`)
)

// TestExamplesFitOnThePage checks the width of the examples in documents.
func TestExamplesFitOnThePage(t *testing.T) {
	t.Parallel()
	examples := 0
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "examples/*/README.md"} {
		files, err := filepath.Glob(pattern)
		testworld.NoError(t, err)
		for _, file := range files {
			for _, block := range terraformBlock.FindAllStringSubmatch(read(t, file), -1) {
				examples++
				for line := range strings.Lines(block[1]) {
					if utf8.RuneCountInString(line) > widestLine+1 && !unbreakable.MatchString(line) {
						t.Errorf("%s shows a line of more than %d characters: %s", file, widestLine, line)
					}
				}
			}
		}
	}
	if examples < 200 {
		t.Errorf("found %d examples, want at least 200", examples)
	}
}

var spiffeID = regexp.MustCompile(`spiffe://[^"\s]+`)

// TestExamplesNameClientsOfUniversalMode checks that the SPIFFE IDs in examples have the form
// that a MeshIdentity gives outside Kubernetes. Others match no client, so that a copied
// permission denies everyone.
func TestExamplesNameClientsOfUniversalMode(t *testing.T) {
	t.Parallel()
	ids := 0
	for _, pattern := range []string{"examples/resources/*/*.tf", "examples/data-sources/*/*.tf", "examples/functions/*/*.tf", "examples/get-started/*.tf", "examples/tasks/*.tf"} {
		files, err := filepath.Glob(pattern)
		testworld.NoError(t, err)
		for _, file := range files {
			for _, id := range spiffeID.FindAllString(read(t, file), -1) {
				ids++
				if _, name, _ := strings.Cut(strings.TrimPrefix(id, "spiffe://"), "/"); !strings.HasPrefix(name, "workload/") {
					t.Errorf("%s: %s is not spiffe://TRUST_DOMAIN/workload/NAME", file, id)
				}
			}
		}
	}
	if ids < 10 {
		t.Errorf("found %d SPIFFE IDs, want at least 10", ids)
	}
}

func checkLink(t *testing.T, file, text, target string) {
	t.Helper()
	name, anchor, _ := strings.Cut(target, "#")
	if name != "" {
		linked := path.Join(filepath.ToSlash(filepath.Dir(file)), name)
		info, err := os.Stat(linked)
		if err != nil {
			t.Errorf("%s links to %s, which does not exist", file, target)
			return
		}
		if info.IsDir() {
			return
		}
		text = read(t, linked)
	}
	if anchor != "" && !anchors(text)[anchor] {
		t.Errorf("%s links to %s, which has no such heading", file, target)
	}
}

var (
	link          = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	fencedBlock   = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	inlineCode    = regexp.MustCompile("`[^`\n]*`")
	markdownTitle = regexp.MustCompile(`(?m)^#+ (.+)$`)
	namedAnchor   = regexp.MustCompile(`<a id="([^"]+)">`)
	notInAnchor   = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// linkTargets returns the targets of relative links, without those in code.
func linkTargets(text string) []string {
	var targets []string
	text = inlineCode.ReplaceAllString(fencedBlock.ReplaceAllString(text, ""), "code")
	for _, match := range link.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(match[1], "://") {
			targets = append(targets, match[1])
		}
	}
	return targets
}

// anchors returns what links to a document can name: headings, as GitHub derives anchors
// from them, and anchors in HTML.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for _, match := range namedAnchor.FindAllStringSubmatch(text, -1) {
		found[match[1]] = true
	}
	for _, match := range markdownTitle.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		title := notInAnchor.ReplaceAllString(strings.ToLower(match[1]), "")
		found[strings.ReplaceAll(title, " ", "-")] = true
	}
	return found
}

// tableWith returns the Markdown table that begins with a header.
func tableWith(t *testing.T, text, header string) string {
	t.Helper()
	_, rest, found := strings.Cut(text, header)
	if !found {
		t.Fatalf("no table with the header %s", header)
	}
	rows, _, _ := strings.Cut(rest, "\n\n")
	return header + rows
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	testworld.NoError(t, err)
	return strings.ReplaceAll(string(text), "\r\n", "\n")
}

// TestLimitsGuide checks that the pages of the data sources state the limits of the guide.
func TestLimitsGuide(t *testing.T) {
	t.Parallel()
	rows := regexp.MustCompile("\\[`kuma_(\\w+)`\\]\\(\\S+\\) \\| `(\\w+)` \\| (\\d+) \\|").FindAllStringSubmatch(read(t, "docs/guides/limits.md"), -1)
	if len(rows) == 0 {
		t.Fatal("the guide has no limits")
	}
	for _, row := range rows {
		stated := regexp.MustCompile("(?m)^- `complete` .*`" + row[2] + "`.* at most (the )?" + row[3] + " ?")
		if page := read(t, "docs/data-sources/"+row[1]+".md"); !stated.MatchString(page) {
			t.Errorf("the page of kuma_%s does not state the limit of %s for %s", row[1], row[3], row[2])
		}
	}
}

// TestDescriptionsAreShort checks that no description of an argument or attribute has
// more than 80 words: what needs more has a guide.
func TestDescriptionsAreShort(t *testing.T) {
	t.Parallel()
	const most = 80
	pages, err := filepath.Glob("docs/*/*.md")
	testworld.NoError(t, err)
	described := regexp.MustCompile("(?m)^- \\[?`(\\w+)`(?:\\]\\([^)]+\\))? \\([^)]*\\) (.*)$")
	for _, page := range append(pages, index) {
		for _, d := range described.FindAllStringSubmatch(read(t, page), -1) {
			if words := len(strings.Fields(d[2])); words > most {
				t.Errorf("%s: the description of %s has %d words", page, d[1], words)
			}
		}
	}
}
