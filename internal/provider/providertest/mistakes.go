package providertest

import (
	"fmt"
	"os"
	"testing"
)

// CheckMistakes plans each mistake in the configuration around it, a format, on its
// own control plane, to which nothing must be written.
func CheckMistakes(t *testing.T, around string, mistakes map[string]Mistake) {
	t.Helper()
	for name, m := range mistakes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cp := NewControlPlane(t)
			Fails(t, cp.Config+fmt.Sprintf(around, m[0]), m[1])
			if cp.Dir != "" {
				cp.Untouched(t)
			}
		})
	}
}

// Mistake is a part of a configuration that must be rejected, and the expression that
// the message must match.
type Mistake [2]string

// Untouched checks that nothing was written.
func (cp ControlPlane) Untouched(t *testing.T) {
	t.Helper()
	if err := cp.IsEmpty(); err != nil {
		t.Error(err)
	}
	if cp.Dir == "" {
		return
	}
	entries, err := os.ReadDir(cp.Dir)
	if err != nil || len(entries) > 0 {
		t.Errorf("the store has %d entries, want none (%v)", len(entries), err)
	}
}

// Fails checks that the plan of a configuration fails with a message.
func Fails(t *testing.T, config, want string) {
	t.Helper()
	out, code := NewCLI(t, map[string]string{"main.tf": RequiredProvider + config}).Run(t, "plan")
	if code == 0 || !Expression(want).MatchString(out) {
		t.Errorf("exit code %d, want an error like %s:\n%s", code, want, out)
	}
}
