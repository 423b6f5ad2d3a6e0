package command

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/provider/functions"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

func runImpact(ctx context.Context, _ string, arguments []string, s streams) (int, error) {
	o := newOptions("impact", "BEFORE AFTER", s)
	exitCode := o.Bool("exit-code", false, "exit with 1 if the change affects a proxy")
	paths, err := o.parse(arguments, 2)
	if err != nil {
		return 0, err
	}
	before, err := s.read(paths[0])
	if err != nil {
		return 0, err
	}
	after, err := s.read(paths[1])
	if err != nil {
		return 0, err
	}
	mesh, err := o.meshOf(after, before) // a change may rename the mesh
	if err != nil {
		return 0, err
	}
	result, err := functions.Call(ctx, "policy_impact", before.texts, after.texts, mesh, o.given())
	if err != nil {
		return 0, err
	}
	code := exitOK
	affected := func(list string) bool { return len(tree.Root(result).Get(list).Items()) > 0 }
	if *exitCode && slices.ContainsFunc([]string{"dataplanes_changed", "dataplanes_added", "dataplanes_removed", "access_gained", "access_lost", "requests_changed"}, affected) {
		code = exitNegative
	}
	return code, o.write(s.out, result, text(result, "summary"))
}

func runRequest(ctx context.Context, _ string, arguments []string, s streams) (int, error) {
	o := newOptions("request", "PATH", s)
	request := map[string]any{}
	set := func(field string) func(string) error {
		return func(v string) error { request[field] = v; return nil }
	}
	pair := func(field string) func(string) error {
		return func(v string) error {
			key, value, ok := strings.Cut(v, "=")
			if !ok {
				return errors.New("write NAME=VALUE")
			}
			pairs, _ := request[field].(map[string]any)
			if pairs == nil {
				pairs = map[string]any{}
				request[field] = pairs
			}
			pairs[key] = value
			return nil
		}
	}
	o.Func("dataplane", "`name` of the Dataplane that sends the request; this, client-service or spiffe-id is required", set("dataplane"))
	o.Func("client-service", "`name` of a service whose proxies send the request", set("client_service"))
	o.Func("spiffe-id", "SPIFFE `id` of the client, to compute only what the destination allows", set("spiffe_id"))
	o.Func("service", "`name` of the service; this or host is required", set("service"))
	o.Func("host", "`name` or address that the application calls, instead of a service", set("host"))
	o.Func("port", "`port` of the service, by default the only one, or of the host", func(v string) error {
		if _, err := strconv.Atoi(v); err != nil {
			return errors.New("must be a number")
		}
		request["port"] = json.Number(v)
		return nil
	})
	o.Func("method", "HTTP `method`", set("method"))
	o.Func("path", "`path` of the request", set("path"))
	o.Func("header", "header of the request as `NAME=VALUE`; may be repeated", pair("headers"))
	o.Func("query", "query parameter of the request as `NAME=VALUE`; may be repeated", pair("query"))
	paths, err := o.parse(arguments, 1)
	if err != nil {
		return 0, err
	}
	for _, names := range [][]string{{"dataplane", "client-service", "spiffe-id"}, {"service", "host"}} {
		if n := len(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return request[strings.ReplaceAll(name, "-", "_")] == nil })); n != 1 {
			for i := range names {
				names[i] = "-" + names[i]
			}
			return 0, o.wrong("request needs exactly one of %s.", phrase.And(names...))
		}
	}
	docs, err := s.read(paths[0])
	if err != nil {
		return 0, err
	}
	if request["mesh"], err = o.meshOf(docs); err != nil {
		return 0, err
	}
	result, err := functions.Call(ctx, "request", docs.texts, request, o.given())
	if err != nil {
		return 0, err
	}
	code := exitNegative
	if verdict := result["verdict"]; verdict == "allowed" || verdict == "redirected" || verdict == "passthrough" {
		code = exitOK
	}
	return code, o.write(s.out, result, text(result, "explanation"))
}

func runAccess(ctx context.Context, _ string, arguments []string, s streams) (int, error) { //nolint:unparam // called like the others
	o := newOptions("access", "PATH", s)
	var from, to []any
	list := func(to *[]any) func(string) error {
		return func(v string) error { *to = append(*to, v); return nil }
	}
	o.Func("from", "`name` of a client to include, a service or a Dataplane; may be repeated", list(&from))
	o.Func("to", "`name` of a service to include; may be repeated", list(&to))
	paths, err := o.parse(arguments, 1)
	if err != nil {
		return 0, err
	}
	docs, err := s.read(paths[0])
	if err != nil {
		return 0, err
	}
	mesh, err := o.meshOf(docs)
	if err != nil {
		return 0, err
	}
	given := o.given()
	for name, names := range map[string][]any{"from": from, "to": to} {
		if names != nil {
			given[name] = names
		}
	}
	result, err := functions.Call(ctx, "access", docs.texts, mesh, given)
	if err != nil {
		return 0, err
	}
	return exitOK, o.write(s.out, result, text(result, "matrix")+"\n"+text(result, "summary"))
}

// write writes a result in the format of the option.
func (o *options) write(w io.Writer, result map[string]any, asText string) error {
	if o.format == "json" {
		return writeJSON(w, result)
	}
	_, err := io.WriteString(w, asText)
	return err
}
