package tree

import (
	"encoding/json"
	"math/big"
	"strconv"
	"strings"
)

// numberPrecision is sufficient for every 64-bit integer and every float64.
const numberPrecision = 512

func equalNumbers(a, b json.Number) bool {
	if a == b {
		return true
	}
	if i, err := a.Int64(); err == nil { // most numbers are integers
		if j, err := b.Int64(); err == nil {
			return i == j
		}
	}
	x, okA := ParseNumber(a)
	y, okB := ParseNumber(b)
	return okA && okB && x.Cmp(y) == 0
}

// ParseNumber returns the exact value of a JSON number; false when n is not a
// number, or is too long or too large for any field.
func ParseNumber(n json.Number) (*big.Float, bool) {
	const longest, largestExponent = 400, 400
	if len(n) > longest {
		return nil, false
	}
	if _, exponent, ok := strings.Cut(strings.ToLower(string(n)), "e"); ok {
		if e, err := strconv.Atoi(exponent); err != nil || e > largestExponent || e < -largestExponent {
			return nil, false
		}
	}
	f, _, err := big.ParseFloat(string(n), 10, numberPrecision, big.ToNearestEven)
	if err != nil || f.IsInf() {
		return nil, false
	}
	return f, true
}

// ParseInteger reads a 64-bit integer; 5.0 and 1e2 are integers too.
func ParseInteger(n json.Number) (int64, bool) {
	if i, err := n.Int64(); err == nil {
		return i, true
	}
	f, ok := ParseNumber(n)
	if !ok || !f.IsInt() {
		return 0, false
	}
	i, accuracy := f.Int64()
	return i, accuracy == 0
}
