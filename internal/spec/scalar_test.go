package spec_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/spec"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	n := func(s string) json.Number { return json.Number(s) }
	tests := map[string]struct {
		scalar spec.Scalar
		in     any
		want   any // nil when the value is refused
	}{
		"hour":                     {spec.Duration, "1h", "1h0m0s"},
		"minute":                   {spec.Duration, "1m", "1m0s"},
		"day in hours":             {spec.Duration, "24h", "24h0m0s"},
		"carry to minutes":         {spec.Duration, "90s", "1m30s"},
		"canonical":                {spec.Duration, "1m30s", "1m30s"},
		"zero without unit":        {spec.Duration, "0", "0s"},
		"zero milliseconds":        {spec.Duration, "0ms", "0s"},
		"zero hours":               {spec.Duration, "0h", "0s"},
		"milliseconds":             {spec.Duration, "1500ms", "1.5s"},
		"fraction":                 {spec.Duration, "0.5s", "500ms"},
		"fraction without zero":    {spec.Duration, ".5s", "500ms"},
		"microseconds":             {spec.Duration, "500us", "500µs"},
		"nanoseconds":              {spec.Duration, "1000000ns", "1ms"},
		"unsorted":                 {spec.Duration, "1m60s", "2m0s"},
		"same unit twice":          {spec.Duration, "5s5s", "10s"},
		"sign":                     {spec.Duration, "+1s", "1s"},
		"negative":                 {spec.Duration, "-1s", "-1s"},
		"days":                     {spec.Duration, "1d", nil},
		"upper case":               {spec.Duration, "1S", nil},
		"blank":                    {spec.Duration, "1 s", nil},
		"no unit":                  {spec.Duration, "5", nil},
		"empty":                    {spec.Duration, "", nil},
		"number":                   {spec.Duration, n("5"), nil},
		"300 years":                {spec.Duration, "2628000h", nil},
		"seconds":                  {spec.ProtoDuration, "1m", "60s"},
		"seconds with three":       {spec.ProtoDuration, "1500ms", "1.500s"},
		"seconds with six":         {spec.ProtoDuration, "1500us", "0.001500s"},
		"seconds with nine":        {spec.ProtoDuration, "1ns", "0.000000001s"},
		"hours in seconds":         {spec.ProtoDuration, "1h30m", "5400s"},
		"zero seconds":             {spec.ProtoDuration, "0", "0s"},
		"negative seconds":         {spec.ProtoDuration, "-1500ms", "-1.500s"},
		"whole number":             {spec.Int, n("5"), n("5")},
		"whole number with point":  {spec.Int, n("5.0"), n("5")},
		"whole number with e":      {spec.Int, n("1e2"), n("100")},
		"beyond float":             {spec.Int, n("9007199254740993"), n("9007199254740993")},
		"fractional number":        {spec.Int, n("5.5"), nil},
		"number in quotes":         {spec.Int, "5", nil},
		"beyond 64 bits":           {spec.Int, n("1e30"), nil},
		"percent":                  {spec.IntOrString, n("50"), n("50")},
		"percent in quotes":        {spec.IntOrString, "50", n("50")},
		"fraction in quotes":       {spec.IntOrString, "50.5", "50.5"},
		"name":                     {spec.IntOrString, "http", "http"},
		"fraction without quotes":  {spec.IntOrString, n("50.5"), nil},
		"neither number nor text":  {spec.IntOrString, true, nil},
		"any number":               {spec.Number, n("50.5"), n("50.5")},
		"text":                     {spec.String, "a", "a"},
		"no text":                  {spec.String, n("1"), nil},
		"truth":                    {spec.Bool, true, true},
		"truth in quotes":          {spec.Bool, "true", nil},
		"bytes":                    {spec.Base64, "aGVsbG8=", "aGVsbG8="},
		"bytes with loose bits":    {spec.Base64, "aGVsbG9=", "aGVsbG8="},
		"bytes without padding":    {spec.Base64, "aGVsbG8", nil},
		"bytes for URLs":           {spec.Base64, "-_-_", nil},
		"large number in any JSON": {spec.JSON, n("12345678901234567890"), n("12345678901234567000")},
		"zeros in any JSON":        {spec.JSON, map[string]any{"a": []any{n("2.50"), n("1000.0")}}, map[string]any{"a": []any{n("2.5"), n("1000")}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := spec.Canonical(tt.scalar, tt.in)
			if tt.want == nil {
				if err == nil {
					t.Errorf("Canonical(%v) = %v, want an error", tt.in, got)
				}
				return
			}
			if err != nil {
				t.Fatalf("Canonical(%v): %v", tt.in, err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Canonical(%v) (-want +got):\n%s", tt.in, diff)
			}
		})
	}
}

func TestSameScalar(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		scalar spec.Scalar
		a, b   any
		want   bool
	}{
		"durations":           {spec.Duration, "60s", "1m", true},
		"different durations": {spec.Duration, "60s", "61s", false},
		"no durations":        {spec.Duration, "soon", "soon", true},
		"numbers":             {spec.IntOrString, json.Number("5"), "5", true},
		"texts":               {spec.String, "60s", "1m", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := spec.SameScalar(tt.scalar, tt.a, tt.b); got != tt.want {
				t.Errorf("SameScalar(%v, %v) = %t, want %t", tt.a, tt.b, got, tt.want)
			}
		})
	}
}
