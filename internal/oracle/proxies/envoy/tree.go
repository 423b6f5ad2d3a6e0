package envoy

import (
	"fmt"
	"strings"

	xdscore "github.com/cncf/xds/go/xds/core/v3"
	xds "github.com/cncf/xds/go/xds/type/matcher/v3"
	network "github.com/envoyproxy/go-control-plane/envoy/extensions/matching/common_inputs/network/v3"
	ssl "github.com/envoyproxy/go-control-plane/envoy/extensions/matching/common_inputs/ssl/v3"
	matcher "github.com/envoyproxy/go-control-plane/envoy/type/matcher/v3"
	"google.golang.org/protobuf/proto"
)

// decide evaluates a tree of matchers and returns the action that it leads to, nil if
// there is none.
func decide(m *xds.Matcher, p peer) (proto.Message, error) {
	if m.GetMatcherTree() != nil {
		return nil, fmt.Errorf("a matcher with a tree: %w", ErrUnsupported)
	}
	on := m.GetOnNoMatch()
	for _, field := range m.GetMatcherList().GetMatchers() {
		ok, err := holds(field.GetPredicate(), p)
		if err != nil {
			return nil, err
		}
		if ok {
			on = field.GetOnMatch()
			break
		}
	}
	switch {
	case on == nil:
		return nil, nil
	case on.GetKeepMatching():
		return nil, fmt.Errorf("a matcher that keeps matching: %w", ErrUnsupported)
	case on.GetMatcher() != nil:
		return decide(on.GetMatcher(), p)
	default:
		return on.GetAction().GetTypedConfig().UnmarshalNew()
	}
}

func holds(predicate *xds.Matcher_MatcherList_Predicate, p peer) (bool, error) {
	holds := func(predicate *xds.Matcher_MatcherList_Predicate) (bool, error) { return holds(predicate, p) }
	switch t := predicate.GetMatchType().(type) {
	case *xds.Matcher_MatcherList_Predicate_SinglePredicate_:
		return single(t.SinglePredicate, p)
	case *xds.Matcher_MatcherList_Predicate_OrMatcher:
		return anyOf(t.OrMatcher.GetPredicate(), holds)
	case *xds.Matcher_MatcherList_Predicate_AndMatcher:
		return allOf(t.AndMatcher.GetPredicate(), holds)
	case *xds.Matcher_MatcherList_Predicate_NotMatcher:
		ok, err := holds(t.NotMatcher)
		return !ok, err
	default:
		return false, fmt.Errorf("a predicate of type %T: %w", t, ErrUnsupported)
	}
}

// single evaluates a matcher for an input. It is false without the input.
func single(m *xds.Matcher_MatcherList_Predicate_SinglePredicate, p peer) (bool, error) {
	value, ok, err := input(m.GetInput(), p)
	if err != nil || !ok {
		return false, err
	}
	if m.GetValueMatch() == nil {
		return false, fmt.Errorf("a custom matcher: %w", ErrUnsupported)
	}
	data, err := proto.Marshal(m.GetValueMatch())
	if err != nil {
		return false, err
	}
	var same matcher.StringMatcher // has the same fields with the same numbers
	if err := proto.Unmarshal(data, &same); err != nil {
		return false, err
	}
	return matchString(&same, value)
}

// input returns the value of an input. The input of certificates is a single string
// with all URIs.
func input(i *xdscore.TypedExtensionConfig, p peer) (string, bool, error) {
	m, err := i.GetTypedConfig().UnmarshalNew()
	if err != nil {
		return "", false, err
	}
	switch m := m.(type) {
	case *ssl.UriSanInput:
		return strings.Join(p.names, ","), len(p.names) > 0, nil
	case *network.ServerNameInput:
		return p.serverName, p.serverName != "", nil
	case *matcher.HttpRequestHeaderMatchInput:
		value, ok := p.request.header(strings.ToLower(m.GetHeaderName()))
		return value, ok, nil
	default:
		return "", false, fmt.Errorf("an input of type %T: %w", m, ErrUnsupported)
	}
}

func anyOf[T any](list []T, holds func(T) (bool, error)) (bool, error) {
	for _, e := range list {
		if ok, err := holds(e); ok || err != nil {
			return ok, err
		}
	}
	return false, nil
}

func allOf[T any](list []T, holds func(T) (bool, error)) (bool, error) {
	for _, e := range list {
		if ok, err := holds(e); !ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
