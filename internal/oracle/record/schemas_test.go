package main

import (
	"os"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

// TestRecordSchema reads two releases of a kind, and one of them again.
func TestRecordSchema(t *testing.T) {
	t.Chdir(t.TempDir())
	file := func(name, text string) {
		testworld.NoError(t, os.WriteFile(name, []byte(text), 0o600))
	}
	testworld.NoError(t, os.MkdirAll(verdicts, 0o700))
	file(verdicts+"/schemas.tsv", "2.13\n")
	const kind = "{type: object, properties: {type: {type: string}, name: {type: string}, conf: {type: object, properties: {"
	release := func(name, fields string) {
		file(name, "components: {schemas: {MeshGatewayItem: "+kind+fields+"}}}}, Source: {type: object, properties: {file: {type: string}}}}}")
	}
	release("2.13.yaml", "port: {type: integer, default: 80}, modes: {type: array, items: {type: string, enum: [B, A]}}")
	release("2.14.yaml", "port: {type: integer, default: 80}, certificates: {type: array, items: {oneOf: [{$ref: '#/components/schemas/Source'}]}}, "+
		"after: {type: object, properties: {seconds: {type: integer}, nanos: {type: integer}}}")
	for _, r := range []string{"2.13", "2.14", "2.13"} {
		testworld.NoError(t, recordSchema(r+".yaml", kuma.ParseRelease(r)))
	}
	got, err := os.ReadFile(verdicts + "/schemas.tsv")
	testworld.NoError(t, err)
	const want = `2.13	2.14
MeshGateway		2.13-2.14	{"type":"kind"}
MeshGateway	conf	2.13-2.14	{"type":"object"}
MeshGateway	conf.after	2.14	{"type":"string"}
MeshGateway	conf.certificates	2.14	{"type":"list of object"}
MeshGateway	conf.certificates[].file	2.14	{"type":"string"}
MeshGateway	conf.modes	2.13	{"type":"list of string","values":["A","B"]}
MeshGateway	conf.port	2.13-2.14	{"type":"integer","default":80}
`
	testworld.Equal(t, "table", want, string(got))
}
