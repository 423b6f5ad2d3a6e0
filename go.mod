module github.com/kuma-universal/terraform-provider-kuma

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0 // tests only: differences in failures
	github.com/hashicorp/go-hclog v1.6.3 // tests only: discards the logs of go-plugin
	github.com/hashicorp/go-plugin v1.8.0 // tests only: how Terraform reaches a provider that the process of the tests serves
	github.com/hashicorp/go-retryablehttp v0.7.8 // retries with backoff in the REST client
	github.com/hashicorp/hcl/v2 v2.25.0 // encode_resource writes HCL; tests read configurations with Terraform's own parser
	github.com/hashicorp/terraform-json v0.29.0 // docs only: the schema in the form of terraform providers schema -json
	github.com/hashicorp/terraform-plugin-framework v1.19.0 // schemas, diagnostics and the protocol server
	github.com/hashicorp/terraform-plugin-go v0.31.0 // raw Terraform values, which the generic resource uses
	github.com/hashicorp/terraform-plugin-log v0.11.0 // logs that Terraform filters by level and subsystem
	github.com/hashicorp/terraform-plugin-testing v1.16.0 // tests only: acceptance tests that run a real CLI
	github.com/spiffe/go-spiffe/v2 v2.9.0 // spiffeid reads SPIFFE IDs as a control plane does; it imports the standard library only
	github.com/zclconf/go-cty v1.20.0 // values of HCL
	go.yaml.in/yaml/v3 v3.0.6 // YAML documents
	golang.org/x/sync v0.24.0 // errgroup runs requests and comparisons in parallel, and stops at the first error
	golang.org/x/sys v0.49.0 // file locks on Windows, which the standard library does not export
)

require (
	github.com/ProtonMail/go-crypto v1.5.2 // indirect
	github.com/agext/levenshtein v1.2.3 // indirect
	github.com/apparentlymart/go-textseg/v15 v15.0.0 // indirect
	github.com/apparentlymart/go-textseg/v17 v17.0.1 // indirect
	github.com/cloudflare/circl v1.6.5 // indirect
	github.com/fatih/color v1.19.0 // indirect
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/hashicorp/errwrap v1.1.0 // indirect
	github.com/hashicorp/go-checkpoint v0.5.0 // indirect
	github.com/hashicorp/go-cleanhttp v0.5.2 // indirect
	github.com/hashicorp/go-cty v1.5.0 // indirect
	github.com/hashicorp/go-multierror v1.1.1 // indirect
	github.com/hashicorp/go-uuid v1.0.4 // indirect
	github.com/hashicorp/go-version v1.9.0 // indirect
	github.com/hashicorp/hc-install v0.10.0 // indirect
	github.com/hashicorp/logutils v1.0.0 // indirect
	github.com/hashicorp/terraform-exec v0.26.0 // indirect
	github.com/hashicorp/terraform-plugin-sdk/v2 v2.40.1 // indirect
	github.com/hashicorp/terraform-registry-address v0.5.1 // indirect
	github.com/hashicorp/terraform-svchost v0.2.1 // indirect
	github.com/hashicorp/yamux v0.1.2 // indirect
	github.com/mattn/go-colorable v0.1.16 // indirect
	github.com/mattn/go-isatty v0.0.24 // indirect
	github.com/mitchellh/copystructure v1.2.0 // indirect
	github.com/mitchellh/go-testing-interface v1.14.1 // indirect
	github.com/mitchellh/go-wordwrap v1.0.1 // indirect
	github.com/mitchellh/mapstructure v1.5.0 // indirect
	github.com/mitchellh/reflectwalk v1.0.2 // indirect
	github.com/oklog/run v1.2.0 // indirect
	github.com/vmihailenco/msgpack v4.0.4+incompatible // indirect
	github.com/vmihailenco/msgpack/v5 v5.4.1 // indirect
	github.com/vmihailenco/tagparser/v2 v2.0.0 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/net v0.62.0 // indirect
	golang.org/x/text v0.43.0 // indirect
	golang.org/x/tools v0.52.0 // indirect
	google.golang.org/appengine v1.6.8 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20261026165753-2ffab32bce7e // indirect
	google.golang.org/grpc v1.85.0 // indirect
	google.golang.org/protobuf v1.36.12 // indirect
)
