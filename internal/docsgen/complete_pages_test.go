package main

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	tfjson "github.com/hashicorp/terraform-json"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tfschema"
)

var (
	anchorLine = regexp.MustCompile(`^<a id="nested(?:block|att)--([^"]+)"></a>$`)
	// commonLine lists several attributes of every resource.
	commonLine  = regexp.MustCompile("^- `kri`(?:, `\\w+`)* and `type` \\(")
	commonNames = regexp.MustCompile("`(\\w+)`")
	itemLine    = regexp.MustCompile("^- \\[?`([^`]+)`(?:\\]\\([^)]+\\))? \\(")
)

// documentedNames returns the names that a page describes, by the path that contains them.
func documentedNames(t *testing.T, file string) map[string]map[string]bool {
	t.Helper()
	text, err := os.ReadFile(file) //nolint:gosec // a page of the repository
	testworld.NoError(t, err)
	var common map[string]bool
	if path := filepath.Join("../../docs/resources", commonArguments); path != file {
		common = documentedNames(t, path)[""]
	}
	names := map[string]map[string]bool{}
	paths, inAnchors, last := []string{""}, false, ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSuffix(line, "\n")
		if anchor := anchorLine.FindStringSubmatch(line); anchor != nil {
			if !inAnchors {
				paths = nil
			}
			paths, inAnchors = append(paths, anchor[1]), true
			continue
		}
		inAnchors = false
		for _, name := range commonNames.FindAllStringSubmatch(commonLine.FindString(line), -1) {
			if names[""] == nil {
				names[""] = map[string]bool{}
			}
			names[""][name[1]] = true
		}
		if inner, ok := strings.CutPrefix(line, "  - "); ok {
			if item := itemLine.FindStringSubmatch("- " + inner); item != nil {
				for _, path := range paths {
					path += "--" + last
					if names[path] == nil {
						names[path] = map[string]bool{}
					}
					names[path][item[1]] = true
				}
			}
			continue
		}
		if item := itemLine.FindStringSubmatch(line); item != nil {
			last = item[1]
			for _, path := range paths {
				describeReference(names, common, path+"--"+item[1], line)
				if names[path] == nil {
					names[path] = map[string]bool{}
				}
				names[path][item[1]] = true
			}
		}
	}
	return names
}

// describeReference adds the arguments of a block that the line about it only names, if they are
// common ones.
func describeReference(names map[string]map[string]bool, common map[string]bool, path, line string) {
	if strings.Contains(line, "]("+references+")") && strings.HasSuffix(line, " All arguments are valid.") {
		names[path] = common
		return
	}
	_, arguments, found := strings.Cut(line, " Arguments: ")
	if !found || !strings.Contains(line, "]("+commonArguments) {
		return
	}
	names[path] = map[string]bool{}
	for _, name := range regexp.MustCompile("`(\\w+)`").FindAllStringSubmatch(arguments, -1) {
		names[path][name[1]] = common[name[1]]
	}
}

// TestReferencesAreDescribed checks that the section about references describes each argument
// of them.
func TestReferencesAreDescribed(t *testing.T) {
	t.Parallel()
	described := documentedNames(t, filepath.Join("../../docs/resources", references[:strings.Index(references, "#")]))[""]
	for _, f := range def.TargetRef([]string{kuma.KindMesh, kuma.KindDataplane}) {
		if name := tfschema.AttributeName(f.Name); f.Doc != def.NotUsedHere && !described[name] {
			t.Errorf("%s does not describe %s", references, name)
		}
	}
}

// TestPagesAreComplete checks that the page of each resource and data source describes every
// argument, attribute and block, or that the page of its resource does.
func TestPagesAreComplete(t *testing.T) {
	t.Parallel()
	provider, err := readSchema(context.Background())
	testworld.NoError(t, err)
	checked := 0
	for category, schemas := range map[string]map[string]*tfjson.Schema{"resources": provider.ResourceSchemas, "data-sources": provider.DataSourceSchemas} {
		for name, s := range schemas {
			file := strings.TrimPrefix(name, "kuma_") + ".md"
			pages := []map[string]map[string]bool{documentedNames(t, filepath.Join("../../docs", category, file))}
			if _, ok := provider.ResourceSchemas[name]; ok && category == "data-sources" {
				pages = append(pages, documentedNames(t, filepath.Join("../../docs/resources", file)))
			}
			eachName(s.Block, nil, func(path []string, name string) {
				checked++
				for _, names := range pages {
					if names[strings.Join(path, "--")][name] {
						return
					}
				}
				t.Errorf("%s/%s does not describe %s", category, file, strings.Join(append(path, name), "."))
			})
		}
	}
	if checked < 3000 {
		t.Errorf("checked %d names, want at least 3000", checked)
	}
}

func eachName(b *tfjson.SchemaBlock, path []string, do func(path []string, name string)) {
	eachAttribute(b.Attributes, path, do)
	for name, n := range b.NestedBlocks {
		do(path, name)
		eachName(n.Block, append(slices.Clip(path), name), do)
	}
}

func eachAttribute(attributes map[string]*tfjson.SchemaAttribute, path []string, do func(path []string, name string)) {
	for name, a := range attributes {
		do(path, name)
		if a.AttributeNestedType != nil {
			eachAttribute(a.AttributeNestedType.Attributes, append(slices.Clip(path), name), do)
		}
	}
}

// TestReferencesNameTheirKinds checks that the descriptions of the arguments of a reference
// name only kinds that the reference accepts.
func TestReferencesNameTheirKinds(t *testing.T) {
	t.Parallel()
	provider, err := readSchema(context.Background())
	testworld.NoError(t, err)
	kind := regexp.MustCompile("`((?:Mesh|Dataplane)[A-Za-z]*)`")
	references := 0
	for name, s := range provider.ResourceSchemas {
		eachReference(s.Block, name, func(place string, b *tfjson.SchemaBlock) {
			references++
			accepted := b.Attributes["kind"].Description
			for argument, a := range b.Attributes {
				for _, named := range kind.FindAllString(a.Description, -1) {
					if !strings.Contains(accepted, named) {
						t.Errorf("%s.%s names %s, which the reference does not accept: %s", place, argument, named, a.Description)
					}
				}
			}
		})
	}
	if references < 30 {
		t.Errorf("found %d references, want at least 30", references)
	}
}

func eachReference(b *tfjson.SchemaBlock, place string, do func(place string, b *tfjson.SchemaBlock)) {
	for name, n := range b.NestedBlocks {
		if name == "target_ref" {
			do(place+"."+name, n.Block)
		}
		eachReference(n.Block, place+"."+name, do)
	}
}
