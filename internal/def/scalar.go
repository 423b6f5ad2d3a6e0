package def

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/kuma-universal/terraform-provider-kuma/internal/tree"
)

// Canonical returns the form in which a control plane stores a value
// (rest-api.md §9): two values are equivalent if and only if their canonical
// forms are equal. The error says why the value is not of type s.
func Canonical(s Scalar, v any) (any, error) {
	switch s {
	case String:
		return as[string](v, "a string")
	case Bool:
		return as[bool](v, "true or false")
	case Int:
		n, ok := v.(json.Number)
		if !ok {
			return nil, errors.New("must be an integer")
		}
		i, ok := tree.ParseInteger(n)
		if !ok {
			return nil, fmt.Errorf("must be an integer, not %s", n)
		}
		return json.Number(strconv.FormatInt(i, 10)), nil
	case Number:
		return as[json.Number](v, "a number")
	case Duration:
		d, err := duration(v)
		return d.String(), err
	case ProtoDuration:
		d, err := duration(v)
		return protoDuration(d), err
	case IntOrString:
		return intOrString(v)
	case JSON:
		return freeForm(v), nil
	case Base64:
		return canonicalBase64(v)
	default:
		panic(fmt.Sprintf("def: unknown scalar %d", s))
	}
}

func as[T any](v any, what string) (any, error) {
	t, ok := v.(T)
	if !ok {
		return nil, errors.New("must be " + what)
	}
	return t, nil
}

func duration(v any) (time.Duration, error) {
	const help = "write a number and a unit, such as \"10s\", \"1m30s\" or \"500ms\" (units: h, m, s, ms, us, ns)"
	text, ok := v.(string)
	if !ok {
		return 0, errors.New("must be a string with a duration: " + help)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		return 0, fmt.Errorf("is not a valid duration: %s", help)
	}
	return d, nil
}

// protoDuration prints seconds with no, three, six or nine decimals.
func protoDuration(d time.Duration) string {
	sign := ""
	if d < 0 {
		sign = "-"
	}
	seconds, nanos := d/time.Second, d%time.Second
	fraction := fmt.Sprintf("%09d", max(nanos, -nanos))
	for strings.HasSuffix(fraction, "000") {
		fraction = strings.TrimSuffix(fraction, "000")
	}
	if fraction != "" {
		fraction = "." + fraction
	}
	return fmt.Sprintf("%s%d%ss", sign, max(seconds, -seconds), fraction)
}

// intOrString reads a string with an integer as that integer: Terraform has one
// type for both.
func intOrString(v any) (any, error) {
	const bits = 32 // of the integers that control planes read
	switch v := v.(type) {
	case string:
		if i, err := strconv.ParseInt(v, 10, bits); err == nil {
			return json.Number(strconv.FormatInt(i, 10)), nil
		}
		return v, nil
	case json.Number:
		if i, ok := tree.ParseInteger(v); ok && i != int64(int32(i)) {
			return nil, fmt.Errorf("must be an integer from %d to %d, or a string", math.MinInt32, math.MaxInt32)
		} else if ok {
			return json.Number(strconv.FormatInt(i, 10)), nil
		}
		return nil, fmt.Errorf("must be an integer or a string: write the fraction as \"%s\"", v)
	default:
		return nil, errors.New("must be an integer or a string")
	}
}

func canonicalBase64(v any) (any, error) {
	if list, ok := v.([]any); ok {
		return base64OfBytes(list)
	}
	s, ok := v.(string)
	if !ok {
		return nil, errors.New("must be a base64 string")
	}
	data, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return nil, errors.New("is not valid base64 (standard encoding with padding)")
	}
	return base64.StdEncoding.EncodeToString(data), nil
}

// base64OfBytes returns the base64 string for a list of bytes, which older
// kinds also accept.
func base64OfBytes(list []any) (any, error) {
	data := make([]byte, len(list))
	for i, e := range list {
		n, _ := e.(json.Number)
		b, err := strconv.ParseUint(string(n), 10, 8)
		if err != nil {
			return nil, errors.New("must be a base64 string")
		}
		data[i] = byte(b)
	}
	return base64.StdEncoding.EncodeToString(data), nil
}

// freeForm passes numbers through 64-bit floats, as the control plane does.
func freeForm(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = freeForm(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = freeForm(e)
		}
		return out
	case json.Number:
		f, err := v.Float64()
		if err != nil {
			return v
		}
		text, err := json.Marshal(f)
		if err != nil {
			return v
		}
		return json.Number(text)
	default:
		return v
	}
}

// SameScalar reports whether two values of type s are equivalent. Values that
// are not of the type are equivalent if they are equal.
func SameScalar(s Scalar, a, b any) bool {
	x, errA := Canonical(s, a)
	y, errB := Canonical(s, b)
	if errA != nil || errB != nil {
		return tree.Equal(a, b)
	}
	return tree.Equal(x, y)
}
