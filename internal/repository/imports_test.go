package repository

import (
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

const module = "github.com/kuma-universal/terraform-provider-kuma"

// layers lists the packages below internal from bottom to top. A package may import those of
// the layers before its own.
var layers = []string{
	"tree oracle/proxies/envoy", // the judge of the engine shares no code with it
	"phrase",
	"kuma",
	"def",
	"kinds/check",
	"kinds/object",
	"kinds/policy",
	"kinds",
	"kuma3 document rules",
	"proxy",
	"analysis/digest analysis/explain analysis/input analysis/request analysis/rollout",
	"analysis/access",
	"analysis/impact analysis/lint",
	"analysis/upgrade",
	"analysis/answer",
	"controlplane embedded tfschema",
	"controlplane/store tfvalue",
	"configuration provider/runstate",
	"tfplan",
	"provider/connection",
	"provider/report",
	"provider/analysis provider/managed provider/token",
	"provider/direct provider/functions provider/rollout",
	"provider",
	"command",
	". docsgen testworld analysis/upgrade/upgradetest", // the command of the root, and what is for tests and tools only
	"provider/providertest oracle oracle/randomworld",
	"oracle/browser oracle/differ oracle/proxies oracle/record oracle/run oracle/stated e2e repository",
}

const (
	cty       = "github.com/zclconf/go-cty/cty"
	errgroup  = "golang.org/x/sync/errgroup"
	hcl       = "github.com/hashicorp/hcl/v2"
	spiffe    = "github.com/spiffe/go-spiffe/v2/spiffeid"
	yamlV3    = "go.yaml.in/yaml/v3"
	terraform = "github.com/hashicorp/terraform-plugin-"
	framework = terraform + "framework"
	pluginGo  = terraform + "go"
	pluginLog = terraform + "log"
	tfprotov6 = pluginGo + "/tfprotov6"
	tftypes   = pluginGo + "/tftypes"
	envoy     = "github.com/envoyproxy/go-control-plane/envoy"
	grpc      = "google.golang.org/grpc"
	protobuf  = "google.golang.org/protobuf"
	status    = "google.golang.org/genproto/googleapis/rpc/status"
)

// thirdParty lists what a package may import beside this module and the standard library, with
// the packages below it.
var thirdParty = map[string][]string{
	"tree":                  {yamlV3},
	"kinds/policy":          {spiffe},
	"kinds":                 {spiffe},
	"analysis/impact":       {errgroup},
	"controlplane":          {"github.com/hashicorp/go-retryablehttp", yamlV3},
	"controlplane/store":    {errgroup},
	"embedded":              {"golang.org/x/sys/windows", yamlV3},
	"tfschema":              {framework, hcl},
	"tfvalue":               {framework, tftypes},
	"tfplan":                {tftypes},
	"configuration":         {cty, hcl, tftypes},
	"provider/connection":   {framework, pluginLog},
	"provider/report":       {framework, tfprotov6, tftypes},
	"provider/analysis":     {framework, tftypes},
	"provider/managed":      {cty, framework, hcl, pluginLog, tftypes},
	"provider/token":        {framework},
	"provider/direct":       {framework, tfprotov6, tftypes},
	"provider/functions":    {framework, tftypes},
	"provider/rollout":      {framework},
	"provider":              {framework, pluginLog, tfprotov6},
	"command":               {yamlV3},
	".":                     {tfprotov6},
	"docsgen":               {cty, "github.com/hashicorp/terraform-json", hcl, tfprotov6, tftypes},
	"testworld":             {"github.com/google/go-cmp/cmp"},
	"provider/providertest": {cty, "github.com/google/go-cmp/cmp", "github.com/hashicorp/go-hclog", "github.com/hashicorp/go-plugin", hcl, terraform + "testing", tfprotov6, tftypes},
	"oracle":                {errgroup},
	"oracle/browser":        {"github.com/chromedp"},
	"oracle/differ":         {cty, hcl},
	"oracle/proxies":        {envoy, grpc, protobuf, status},
	"oracle/proxies/envoy":  {"github.com/cncf/xds/go", envoy, protobuf},
}

// TestImports checks that every package is in a layer, and imports only what it may. Tests may
// import more, but those of packages that do not know Terraform may not import it either.
func TestImports(t *testing.T) {
	t.Parallel()
	layerOf, found := map[string]int{}, map[string]bool{}
	for layer, packages := range layers {
		for name := range strings.FieldsSeq(packages) {
			layerOf[name] = layer
		}
	}
	may := func(name, target string, test bool) bool {
		internal, ours := strings.CutPrefix(target, module+"/internal/")
		host, _, _ := strings.Cut(target, "/")
		layer := layerOf[name]
		switch {
		case test:
			knowsTerraform := slices.ContainsFunc(thirdParty[name], func(m string) bool { return strings.HasPrefix(m, terraform) })
			return knowsTerraform || !strings.HasPrefix(target, terraform)
		case ours:
			return layerOf[internal] < layer
		case strings.Contains(host, "."):
			return slices.ContainsFunc(thirdParty[name], func(m string) bool { return target == m || strings.HasPrefix(target, m+"/") })
		case target == "os": // packages of these layers are pure
			return layer > layerOf["analysis/answer"]
		case target == "net/http": // package kinds knows its constants
			return layer < layerOf["rules"] || layer > layerOf["analysis/answer"]
		default:
			return true
		}
	}
	for file, text := range sources(t) {
		name := strings.TrimPrefix(path.Dir(file), "internal/")
		if path.Ext(file) != ".go" {
			continue
		}
		if _, ok := layerOf[name]; !ok && !found[name] {
			t.Errorf("package %s is in no layer: add it to layers in internal/repository/imports_test.go", name)
		}
		found[name] = true
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, parser.ImportsOnly)
		testworld.NoError(t, err)
		for _, imported := range parsed.Imports {
			if target, _ := strconv.Unquote(imported.Path.Value); !may(name, target, strings.HasSuffix(file, "_test.go")) {
				t.Errorf("%s imports %s, which package %s may not: see layers in internal/repository/imports_test.go", file, target, name)
			}
		}
	}
	for name := range layerOf {
		if !found[name] {
			t.Errorf("layers lists %s, and there is no such package", name)
		}
	}
}
