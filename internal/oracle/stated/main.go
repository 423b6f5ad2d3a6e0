// Command stated compares a control plane with what is stated about Kuma 3.0 and was
// never measured. It starts a kuma-cp, sends the documents of each statement of
// statements.yaml, and prints what is stated, and what the control plane answers.
//
//	go run ./internal/oracle/stated -cp /usr/local/bin/kuma-cp
//
// A difference is not an error: a development build has many.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"text/tabwriter"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/oracle"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func main() { oracle.Main("stated", run) }

func run(ctx context.Context, arguments []string) error {
	flags := flag.NewFlagSet("stated", flag.ContinueOnError)
	binary := flags.String("cp", "", "path of kuma-cp")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if *binary == "" {
		return errors.New("-cp must name a kuma-cp")
	}
	s, err := oracle.Start(ctx, oracle.Options{Binary: *binary})
	if err != nil {
		return err
	}
	return errors.Join(report(ctx, s, os.Stdout), s.Stop())
}

//go:embed statements.yaml
var statementsFile []byte

// statement is one statement about the answer to a request.
type statement struct {
	Name string           `json:"name"`
	Put  []map[string]any `json:"put"` // documents, sent in this order
	Get  string           `json:"get"` // a path, requested after them
	// The answer to the last request: its status, and a part that the body has, or that it
	// does not have.
	Status   int    `json:"status"`
	Contains string `json:"contains"`
	Lacks    string `json:"lacks"`
	// How says how to check a statement that no request can check.
	How string `json:"how"`
}

func statements() ([]statement, error) {
	documents, err := tree.DecodeYAML(statementsFile)
	if err != nil {
		return nil, err
	}
	var all []statement
	return all, json.Unmarshal([]byte(phrase.JSON(documents[0])), &all)
}

// report checks all statements, and prints a table of the results.
func report(ctx context.Context, s *oracle.Site, w io.Writer) error {
	all, err := statements()
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "Statement\tStated\tAnswered\tResult")
	counts := map[string]int{}
	var byHand strings.Builder
	for _, st := range all {
		if st.How != "" {
			fmt.Fprintf(&byHand, "%s: %s\n", st.Name, st.How)
			continue
		}
		got, err := st.ask(ctx, s)
		if err != nil {
			return fmt.Errorf("%s: %w", st.Name, err)
		}
		result := "different"
		if st.agrees(got) {
			result = "same"
		}
		counts[result]++
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", st.Name, st.expected(), summary(got), result)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "\n%d same, %d different. To check by hand:\n%s", counts["same"], counts["different"], &byHand)
	return err
}

// mesh is the mesh of the documents.
const mesh = "gaps"

// ask sends the requests of a statement in a new mesh, and returns the last answer.
func (st statement) ask(ctx context.Context, s *oracle.Site) (got oracle.Answer, err error) {
	var world []kuma.Resource
	if got, err = s.PutDocument(ctx, map[string]any{"type": kuma.KindMesh, "name": mesh}); err != nil || !got.Accepted() {
		return got, errors.Join(err, fmt.Errorf("create the mesh: %v", got))
	}
	defer func() { s.Remove(ctx, mesh, world) }()
	for _, document := range st.Put {
		if got, err = s.PutDocument(ctx, document); err != nil {
			return got, err
		}
		k, _ := kinds.Find(tree.Text(document["type"]))
		world = append(world, kuma.Resource{Type: k.Name, Mesh: mesh, Name: tree.Text(document["name"])})
	}
	if st.Get != "" {
		got, err = s.Get(ctx, st.Get)
	}
	return got, err
}

func (st statement) agrees(got oracle.Answer) bool {
	body := phrase.JSON(got.Body)
	return got.Status == st.Status && strings.Contains(body, st.Contains) && (st.Lacks == "" || !strings.Contains(body, st.Lacks))
}

func (st statement) expected() string {
	switch {
	case st.Contains != "":
		return fmt.Sprintf("%d with %s", st.Status, st.Contains)
	case st.Lacks != "":
		return fmt.Sprintf("%d without %s", st.Status, st.Lacks)
	default:
		return fmt.Sprint(st.Status)
	}
}

// summary returns the status of an answer, and the fields of a rejection.
func summary(got oracle.Answer) string {
	parts := []string{fmt.Sprint(got.Status), http.StatusText(got.Status)}
	for _, violation := range tree.Objects(got.Document()["invalid_parameters"]) {
		parts = append(parts, tree.Text(violation["field"]))
	}
	return strings.Join(parts, " ")
}
