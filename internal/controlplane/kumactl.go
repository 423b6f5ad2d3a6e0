package controlplane

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// kumactlConfig is the configuration file of kumactl.
type kumactlConfig struct {
	ControlPlanes  []kumactlControlPlane `yaml:"controlPlanes"`
	Contexts       []kumactlContext      `yaml:"contexts"`
	CurrentContext string                `yaml:"currentContext"`
}

type kumactlContext struct {
	Name         string `yaml:"name"`
	ControlPlane string `yaml:"controlPlane"`
	Defaults     struct {
		Mesh string `yaml:"mesh"`
	} `yaml:"defaults"`
}

type kumactlControlPlane struct {
	Name        string `yaml:"name"`
	Coordinates struct {
		APIServer kumactlServer `yaml:"apiServer"`
	} `yaml:"coordinates"`
}

type kumactlServer struct {
	URL            string            `yaml:"url"`
	CACertFile     string            `yaml:"caCertFile"`
	ClientCertFile string            `yaml:"clientCertFile"`
	ClientKeyFile  string            `yaml:"clientKeyFile"`
	SkipVerify     bool              `yaml:"skipVerify"`
	AuthType       string            `yaml:"authType"`
	AuthConf       map[string]string `yaml:"authConf"`
	Headers        []struct {
		Key   string `yaml:"key"`
		Value string `yaml:"value"`
	} `yaml:"headers"`
}

// kumactlTokens is the only authentication type built into kumactl, with
// the token under the key "token". Other types are plugins.
const kumactlTokens = "tokens"

// Kumactl reads the settings of a connection from a configuration file of
// kumactl: from the named context, or from the current one when the name
// is empty. A missing file is [os.ErrNotExist]; any other problem is a
// [ConfigError] on [FieldContext].
func Kumactl(file, context string) (Config, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return Config{}, err
	}
	refused := func(format string, args ...any) (Config, error) {
		return Config{}, &ConfigError{FieldContext, "of kumactl cannot be read from " + file + ": " + fmt.Sprintf(format, args...)}
	}
	// The decoder of the struct quotes values in its errors, maybe a token; this one does not.
	if _, err := tree.DecodeYAML(data); err != nil {
		return refused("%v", err)
	}
	var all kumactlConfig
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil && !errors.Is(err, io.EOF) {
		return refused("%s", withoutValues(err))
	}
	if context == "" {
		context = all.CurrentContext
	}
	if context == "" {
		return refused("no current context is set. Select one with kumactl config use-context")
	}
	i := slices.IndexFunc(all.Contexts, func(c kumactlContext) bool { return c.Name == context })
	if i < 0 {
		names := phrase.Each(all.Contexts, func(c kumactlContext) string { return c.Name })
		return refused("context %q not found. Contexts in the file: %s", context, cmp.Or(strings.Join(names, ", "), "none"))
	}
	name := all.Contexts[i].ControlPlane
	i = slices.IndexFunc(all.ControlPlanes, func(c kumactlControlPlane) bool { return c.Name == name })
	if i < 0 {
		return refused("context %q refers to control plane %q, which does not exist. Add it with kumactl config control-planes add", context,
			name)
	}
	c, err := all.ControlPlanes[i].Coordinates.APIServer.config()
	if err != nil {
		return refused("control plane %q: %v", name, err)
	}
	return c, nil
}

// config reads the files that the server's entry names.
func (s kumactlServer) config() (Config, error) {
	c := Config{Endpoint: s.URL, TLS: TLS{InsecureSkipVerify: s.SkipVerify}}
	switch s.AuthType {
	case "":
	case kumactlTokens:
		c.Token = s.AuthConf["token"]
	default:
		return Config{}, fmt.Errorf("authType %q needs a plugin, which only kumactl can run. Get a token and set it instead", s.AuthType)
	}
	for _, h := range s.Headers {
		if c.Headers == nil {
			c.Headers = map[string]string{}
		}
		c.Headers[h.Key] = h.Value
	}
	for _, part := range []struct {
		file string
		into *string
	}{{s.CACertFile, &c.TLS.CA}, {s.ClientCertFile, &c.TLS.ClientCert}, {s.ClientKeyFile, &c.TLS.ClientKey}} {
		if part.file == "" {
			continue
		}
		data, err := os.ReadFile(part.file)
		if err != nil {
			return Config{}, err
		}
		*part.into = string(data)
	}
	return c, nil
}

// withoutValues removes quoted values from an error of the YAML decoder: one
// may be a token.
func withoutValues(err error) string {
	var wrong *yaml.TypeError
	if !errors.As(err, &wrong) {
		return err.Error()
	}
	out := make([]string, len(wrong.Errors))
	for i, text := range wrong.Errors {
		line, _, mistyped := strings.Cut(text, ": cannot unmarshal")
		if mistyped {
			line += ": the value has the wrong type"
		}
		out[i], _, _ = strings.Cut(line, " in type ") // the Go type
	}
	return strings.Join(out, "; ")
}
