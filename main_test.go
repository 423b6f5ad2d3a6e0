package main

import (
	"runtime/debug"
	"testing"
)

func TestDescribe(t *testing.T) {
	for name, test := range map[string]struct {
		info *debug.BuildInfo
		want string
	}{
		"without build information": {nil, "terraform-provider-kuma dev"},
		"outside of a repository":   {&debug.BuildInfo{}, "terraform-provider-kuma dev"},
		"built from a commit": {
			&debug.BuildInfo{Settings: []debug.BuildSetting{{Key: "vcs", Value: "git"}, {Key: "vcs.revision", Value: "2fd4e1c6"}}},
			"terraform-provider-kuma dev (commit 2fd4e1c6)",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := describe(test.info); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
