package main

import (
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const pageWithRepetition = `## Schema

### Optional

- ` + "`spec`" + ` (Block, Optional) The spec. (see [below for nested schema](#nestedblock--spec))

<a id="nestedblock--spec"></a>
### Nested Schema for ` + "`spec`" + `

Optional:

- ` + "`from`" + ` (Block List) Incoming. (see [below for nested schema](#nestedblock--spec--from))
- ` + "`log`" + ` (Block List) Logs. (see [below for nested schema](#nestedblock--spec--log))
- ` + "`to`" + ` (Block List) Outgoing. (see [below for nested schema](#nestedblock--spec--to))

<a id="nestedblock--spec--from"></a>
### Nested Schema for ` + "`spec.from`" + `

Optional:

- ` + "`http`" + ` (Block, Optional) HTTP. (see [below for nested schema](#nestedblock--spec--from--http))

<a id="nestedblock--spec--from--http"></a>
### Nested Schema for ` + "`spec.from.http`" + `

Optional:

- ` + "`limit`" + ` (Number) Limit.



<a id="nestedblock--spec--log"></a>
### Nested Schema for ` + "`spec.log`" + `

Optional:

- ` + "`http`" + ` (Block, Optional) HTTP. (see [below for nested schema](#nestedblock--spec--log--http))

<a id="nestedblock--spec--log--http"></a>
### Nested Schema for ` + "`spec.log.http`" + `

Optional:

- ` + "`limit`" + ` (Number) Another limit.



<a id="nestedblock--spec--to"></a>
### Nested Schema for ` + "`spec.to`" + `

Optional:

- ` + "`http`" + ` (Block, Optional) HTTP. (see [below for nested schema](#nestedblock--spec--to--http))

<a id="nestedblock--spec--to--http"></a>
### Nested Schema for ` + "`spec.to.http`" + `

Optional:

- ` + "`limit`" + ` (Number) Limit.

## Import

An import.
`

// TestEqualNestedSchemasAreShownOnce checks that a page describes blocks that are equal,
// with everything in them, once, and that all links to them still lead there.
func TestEqualNestedSchemasAreShownOnce(t *testing.T) {
	t.Parallel()
	const want = `## Schema

### Optional

- ` + "`spec`" + ` (Block, Optional) The spec. (see [below for nested schema](#nestedblock--spec))

<a id="nestedblock--spec"></a>
### Nested Schema for ` + "`spec`" + `

Optional:

- ` + "`from`" + ` (Block List) Incoming. (see [below for nested schema](#nestedblock--spec--from))
- ` + "`log`" + ` (Block List) Logs. (see [below for nested schema](#nestedblock--spec--log))
- ` + "`to`" + ` (Block List) Outgoing. (see [below for nested schema](#nestedblock--spec--to))

<a id="nestedblock--spec--from"></a>
<a id="nestedblock--spec--to"></a>
### Nested Schema for ` + "`spec.from` and `spec.to`" + `

Optional:

- ` + "`http`" + ` (Block, Optional) HTTP. (see [below for nested schema](#nestedblock--spec--from--http))

<a id="nestedblock--spec--from--http"></a>
<a id="nestedblock--spec--to--http"></a>
### Nested Schema for ` + "`spec.to.http`" + `

Optional:

- ` + "`limit`" + ` (Number) Limit.

<a id="nestedblock--spec--log"></a>
### Nested Schema for ` + "`spec.log`" + `

Optional:

- ` + "`http`" + ` (Block, Optional) HTTP. (see [below for nested schema](#nestedblock--spec--log--http))

<a id="nestedblock--spec--log--http"></a>
### Nested Schema for ` + "`spec.log.http`" + `

Optional:

- ` + "`limit`" + ` (Number) Another limit.

## Import

An import.
`
	p := parsePage(pageWithRepetition)
	p.mergeEqual()
	testworld.Equal(t, "page", want, p.String())
}

// TestDataSourceLinksToResource checks that the page of a data source links to what the page of
// the resource says, and keeps what it does not say.
func TestDataSourceLinksToResource(t *testing.T) {
	t.Parallel()
	const page = `## Schema

### Read-Only

- ` + "`spec`" + ` (Attributes) The spec. (see [below for nested schema](#nestedatt--spec))

<a id="nestedatt--spec"></a>
### Nested Schema for ` + "`spec`" + `

Read-Only:

- ` + "`from`" + ` (Attributes List) Incoming. (see [below for nested schema](#nestedatt--spec--from))
- ` + "`log`" + ` (Attributes List) Logs. (see [below for nested schema](#nestedatt--spec--log))
- ` + "`status`" + ` (String) Status.

<a id="nestedatt--spec--from"></a>
### Nested Schema for ` + "`spec.from`" + `

Read-Only:

- ` + "`http`" + ` (Attributes) HTTP. (see [below for nested schema](#nestedatt--spec--from--http))

<a id="nestedatt--spec--from--http"></a>
### Nested Schema for ` + "`spec.from.http`" + `

Read-Only:

- ` + "`limit`" + ` (Number) Limit.


<a id="nestedatt--spec--log"></a>
### Nested Schema for ` + "`spec.log`" + `

Read-Only:

- ` + "`http`" + ` (Attributes) HTTP as received. (see [below for nested schema](#nestedatt--spec--log--http))

<a id="nestedatt--spec--log--http"></a>
### Nested Schema for ` + "`spec.log.http`" + `

Read-Only:

- ` + "`limit`" + ` (Number) Another limit.
`
	const want = `## Schema

### Read-Only

- ` + "`spec`" + ` (Attributes) The spec. (see [below for nested schema](#nestedatt--spec))

<a id="nestedatt--spec"></a>
### Nested Schema for ` + "`spec`" + `

Read-Only:

- ` + "`from`" + ` (Attributes List) Incoming. (see [the resource](../resources/mesh.md#nestedblock--spec--from))
- ` + "`log`" + ` (Attributes List) Logs. (see [below for nested schema](#nestedatt--spec--log))
- ` + "`status`" + ` (String) Status.

<a id="nestedatt--spec--log"></a>
### Nested Schema for ` + "`spec.log`" + `

Read-Only:

- ` + "`http`" + ` (Attributes) HTTP as received. (see [the resource](../resources/mesh.md#nestedblock--spec--log--http))
`
	p := parsePage(page)
	p.linkTo("../resources/mesh.md", parsePage(pageWithRepetition))
	testworld.Equal(t, "page", want, p.String())
}

// TestSmallBlocksAreInline checks that the line about a small block lists its arguments, unless
// another page links to the description of the block.
func TestSmallBlocksAreInline(t *testing.T) {
	t.Parallel()
	const page = "## Schema\n\n<a id=\"nestedblock--spec\"></a>\n### Nested Schema for `spec`\n\nOptional:\n\n" +
		"- `tcp` (Block) TCP. (see [below for nested schema](#nestedblock--spec--tcp))\n- `tls` (Block) TLS. (see [below for nested schema](#nestedblock--spec--tls))\n\n" +
		"<a id=\"nestedblock--spec--tcp\"></a>\n### Nested Schema for `spec.tcp`\n\nRequired:\n\n- `port` (Number) Port.\n\nOptional:\n\n- `address` (String) Address.\n\n" +
		"<a id=\"nestedblock--spec--tls\"></a>\n### Nested Schema for `spec.tls`\n\nOptional:\n\n- `mode` (String) Mode.\n"
	const want = "## Schema\n\n<a id=\"nestedblock--spec\"></a>\n### Nested Schema for `spec`\n\nOptional:\n\n" +
		"- `tcp` (Block) TCP.\n  - `port` (Number, Required) Port.\n  - `address` (String) Address.\n- `tls` (Block) TLS. (see [below for nested schema](#nestedblock--spec--tls))\n\n" +
		"<a id=\"nestedblock--spec--tls\"></a>\n### Nested Schema for `spec.tls`\n\nOptional:\n\n- `mode` (String) Mode.\n"
	p := parsePage(page)
	p.inlineSmall(func(anchor string) bool { return anchor == "nestedblock--spec--tls" })
	testworld.Equal(t, "page", want, p.String())
}

// TestConcise checks that a page says less, but not something else.
func TestConcise(t *testing.T) {
	t.Parallel()
	const page = "---\npage_title: \"X\"\ndescription: |-\n  Sets X, such as 1.5.\n  More about it.\n---\n\nSets X, such as 1.5.\nMore about it.\n\n" +
		"<!-- schema generated by tfplugindocs -->\n## Schema\n\n### Required\n\n" +
		"- `spec` (Block, Required) The spec. (see [below for nested schema](#nestedblock--spec))\n- `list` (Block List) A list.\n- `name` (String) (Block, Required) is text.\n\n" +
		"<a id=\"nestedblock--spec\"></a>\n### Nested Schema for `spec`\n"
	const want = "---\npage_title: \"X\"\ndescription: |-\n  Sets X, such as 1.5.\n---\n\nSets X, such as 1.5.\nMore about it.\n\n" +
		"## Schema\n\n### Required\n\n" +
		"- [`spec`](#nestedblock--spec) (Block) The spec.\n- `list` (Block List) A list.\n- `name` (String) (Block, Required) is text.\n\n" +
		"<a id=\"nestedblock--spec\"></a>\n### `spec`\n"
	testworld.Equal(t, "page", want, concise(page))
}

// TestConciseExamples checks that the documents of a mesh are not part of an example.
func TestConciseExamples(t *testing.T) {
	t.Parallel()
	documents := strings.Repeat("    type: Mesh\n", 20)
	page := "locals {\n  short = <<-YAML\n    type: Mesh\n  YAML\n  shop = <<-YAML\n" + documents + "  YAML\n}\n\ndata \"x\" \"y\" {\n  documents = [<<-YAML\n" + documents + "  YAML\n  ]\n}\n"
	const want = "locals {\n  short = <<-YAML\n    type: Mesh\n  YAML\n  shop = file(\"shop.yaml\")\n}\n\ndata \"x\" \"y\" {\n  documents = [file(\"documents.yaml\")]\n}\n"
	testworld.Equal(t, "page", want, concise(page))
}
