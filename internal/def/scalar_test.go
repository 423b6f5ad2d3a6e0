package def_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/kuma-universal/terraform-provider-kuma/internal/def"
	"github.com/kuma-universal/terraform-provider-kuma/internal/testworld"
)

func TestCanonical(t *testing.T) {
	t.Parallel()
	n := func(s string) json.Number { return json.Number(s) }
	tests := map[string]struct {
		scalar def.Scalar
		in     any
		want   any // nil when the value is rejected
	}{
		"hour":                     {def.Duration, "1h", "1h0m0s"},
		"minute":                   {def.Duration, "1m", "1m0s"},
		"day in hours":             {def.Duration, "24h", "24h0m0s"},
		"carry to minutes":         {def.Duration, "90s", "1m30s"},
		"canonical":                {def.Duration, "1m30s", "1m30s"},
		"zero without unit":        {def.Duration, "0", "0s"},
		"zero milliseconds":        {def.Duration, "0ms", "0s"},
		"zero hours":               {def.Duration, "0h", "0s"},
		"milliseconds":             {def.Duration, "1500ms", "1.5s"},
		"fraction":                 {def.Duration, "0.5s", "500ms"},
		"fraction without zero":    {def.Duration, ".5s", "500ms"},
		"microseconds":             {def.Duration, "500us", "500µs"},
		"nanoseconds":              {def.Duration, "1000000ns", "1ms"},
		"unsorted":                 {def.Duration, "1m60s", "2m0s"},
		"same unit twice":          {def.Duration, "5s5s", "10s"},
		"sign":                     {def.Duration, "+1s", "1s"},
		"negative":                 {def.Duration, "-1s", "-1s"},
		"days":                     {def.Duration, "1d", nil},
		"uppercase":                {def.Duration, "1S", nil},
		"blank":                    {def.Duration, "1 s", nil},
		"no unit":                  {def.Duration, "5", nil},
		"empty":                    {def.Duration, "", nil},
		"number":                   {def.Duration, n("5"), nil},
		"300 years":                {def.Duration, "2628000h", nil},
		"seconds":                  {def.ProtoDuration, "1m", "60s"},
		"seconds with three":       {def.ProtoDuration, "1500ms", "1.500s"},
		"seconds with six":         {def.ProtoDuration, "1500us", "0.001500s"},
		"seconds with nine":        {def.ProtoDuration, "1ns", "0.000000001s"},
		"hours in seconds":         {def.ProtoDuration, "1h30m", "5400s"},
		"zero seconds":             {def.ProtoDuration, "0", "0s"},
		"negative seconds":         {def.ProtoDuration, "-1500ms", "-1.500s"},
		"integer":                  {def.Int, n("5"), n("5")},
		"integer with point":       {def.Int, n("5.0"), n("5")},
		"integer with e":           {def.Int, n("1e2"), n("100")},
		"beyond float":             {def.Int, n("9007199254740993"), n("9007199254740993")},
		"fractional number":        {def.Int, n("5.5"), nil},
		"number in quotes":         {def.Int, "5", nil},
		"beyond 64 bits":           {def.Int, n("1e30"), nil},
		"percent":                  {def.IntOrString, n("50"), n("50")},
		"percent in quotes":        {def.IntOrString, "50", n("50")},
		"fraction in quotes":       {def.IntOrString, "50.5", "50.5"},
		"name":                     {def.IntOrString, "http", "http"},
		"more than 32 bits":        {def.IntOrString, n("2147483648"), nil},
		"more than 32 bits, text":  {def.IntOrString, "2147483648", "2147483648"},
		"fraction without quotes":  {def.IntOrString, n("50.5"), nil},
		"neither number nor text":  {def.IntOrString, true, nil},
		"any number":               {def.Number, n("50.5"), n("50.5")},
		"text":                     {def.String, "a", "a"},
		"no text":                  {def.String, n("1"), nil},
		"truth":                    {def.Bool, true, true},
		"truth in quotes":          {def.Bool, "true", nil},
		"bytes":                    {def.Base64, "aGVsbG8=", "aGVsbG8="},
		"bytes with loose bits":    {def.Base64, "aGVsbG9=", "aGVsbG8="},
		"bytes without padding":    {def.Base64, "aGVsbG8", nil},
		"bytes for URLs":           {def.Base64, "-_-_", nil},
		"large number in any JSON": {def.JSON, n("12345678901234567890"), n("12345678901234567000")},
		"zeros in any JSON":        {def.JSON, map[string]any{"a": []any{n("2.50"), n("1000.0")}}, map[string]any{"a": []any{n("2.5"), n("1000")}}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := def.Canonical(tt.scalar, tt.in)
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
		scalar def.Scalar
		a, b   any
		want   bool
	}{
		"durations":           {def.Duration, "60s", "1m", true},
		"different durations": {def.Duration, "60s", "61s", false},
		"no durations":        {def.Duration, "soon", "soon", true},
		"numbers":             {def.IntOrString, json.Number("5"), "5", true},
		"texts":               {def.String, "60s", "1m", false},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testworld.Equal(t, fmt.Sprintf("SameScalar(%v, %v)", tt.a, tt.b), tt.want, def.SameScalar(tt.scalar, tt.a, tt.b))
		})
	}
}
