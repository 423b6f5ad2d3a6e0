package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// terraform is a CLI, Terraform or OpenTofu, that runs a built provider.
type terraform struct {
	binary string
	config string // CLI configuration with the path of the provider
}

// newTerraform returns a CLI that runs the provider in a directory. It writes the CLI
// configuration into another directory.
func newTerraform(binary, provider, dir string) (terraform, error) {
	provider, err := filepath.Abs(provider)
	if err != nil {
		return terraform{}, err
	}
	t := terraform{binary, filepath.Join(dir, "cli.tfrc")}
	text := fmt.Sprintf("provider_installation {\n  dev_overrides {\n    \"kuma-universal/kuma\" = %q\n  }\n  direct {}\n}\n", provider)
	return t, os.WriteFile(t.config, []byte(text), 0o600)
}

// plan is the content of a saved plan.
type plan struct {
	outputs map[string]map[string]string // outputs that are maps of strings
	changes []string                     // addresses of resources that would change, with the actions
}

// plan plans the configuration in a directory, and saves the plan in a file.
func (t terraform) plan(ctx context.Context, dir, file string) (plan, error) {
	if _, err := t.run(ctx, dir, "plan", "-input=false", "-out="+file); err != nil {
		return plan{}, err
	}
	data, err := t.run(ctx, dir, "show", "-json", file)
	if err != nil {
		return plan{}, err
	}
	var shown struct {
		PlannedValues struct {
			Outputs map[string]struct{ Value map[string]string }
		} `json:"planned_values"`
		Changes []struct {
			Address string
			Change  struct{ Actions []string }
		} `json:"resource_changes"`
	}
	if err := json.Unmarshal(data, &shown); err != nil {
		return plan{}, fmt.Errorf("read the plan: %w", err)
	}
	p := plan{outputs: map[string]map[string]string{}}
	for name, output := range shown.PlannedValues.Outputs {
		p.outputs[name] = output.Value
	}
	for _, c := range shown.Changes {
		if !slices.Equal(c.Change.Actions, []string{"no-op"}) {
			p.changes = append(p.changes, fmt.Sprintf("%s: %v", c.Address, c.Change.Actions))
		}
	}
	return p, nil
}

// apply applies a saved plan.
func (t terraform) apply(ctx context.Context, dir, file string) error {
	_, err := t.run(ctx, dir, "apply", "-input=false", file)
	return err
}

// commandError is a command that failed.
type commandError struct {
	command string
	output  string
}

func (e *commandError) Error() string { return "terraform " + e.command + ": " + e.output }

// run returns the output of a command. The error is a [commandError] if it fails.
func (t terraform) run(ctx context.Context, dir, command string, arguments ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, t.binary, append([]string{command, "-no-color"}, arguments...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TF_CLI_CONFIG_FILE="+t.config, "TF_IN_AUTOMATION=1", "CHECKPOINT_DISABLE=1")
	var output, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &problems
	err := cmd.Run()
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case cmd.ProcessState == nil:
		return nil, err
	case err != nil:
		return nil, &commandError{command, problems.String()}
	}
	return output.Bytes(), nil
}
