package spec

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
)

// Release is a minor release of Kuma, such as 2.14. The zero value is a release
// that nobody knows, and which is taken to have everything.
type Release struct{ Major, Minor int }

// ParseRelease reads the version that a control plane reports, such as
// "2.14.3". What is none, as that of a test build, is the zero value.
func ParseRelease(version string) Release {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return Release{}
	}
	major, errMajor := strconv.Atoi(parts[0])
	minor, errMinor := strconv.Atoi(parts[1])
	if errMajor != nil || errMinor != nil || major == 0 { // previews are called 0.0.0
		return Release{}
	}
	return Release{major, minor}
}

// String returns the release as people write it: 2.14.
func (r Release) String() string { return fmt.Sprintf("%d.%d", r.Major, r.Minor) }

// Has reports whether the release has what exists since another; an empty text
// stands for what has always been there.
func (r Release) Has(since string) bool {
	if since == "" || r == (Release{}) {
		return true
	}
	s := ParseRelease(since)
	return cmp.Or(cmp.Compare(r.Major, s.Major), cmp.Compare(r.Minor, s.Minor)) >= 0
}

// ValidateRelease returns what of a document a control plane of the given
// release does not know, sorted by path. It would refuse a value, and drop a
// member without a word (spec/versions.yaml). Values may be [Unknown].
func (k Kind) ValidateRelease(doc map[string]any, r Release) []Problem {
	root := Root(doc)
	if !r.Has(k.Since) {
		return []Problem{root.Problem("The control plane has no "+k.Name, tooOld("kind "+k.Name, k.Since, r))}
	}
	v := releaseValidator{release: r}
	if k.Flat {
		v.object(k.Fields, root)
	} else {
		v.object(k.Fields, root.Get("spec"))
	}
	return k.finish(doc, v.problems)
}

type releaseValidator struct {
	release  Release
	problems []Problem
}

func (v *releaseValidator) object(o Object, n Node) {
	for _, f := range o {
		child := n.Get(f.Name)
		switch {
		case child.Absent():
		case !v.release.Has(f.Since):
			v.problems = append(v.problems, child.Problem("The control plane has no "+f.Name, tooOld(f.Name, f.Since, v.release)))
		default:
			v.value(f, f.Type, child)
		}
	}
}

func (v *releaseValidator) value(f Field, t Type, n Node) {
	switch t := t.(type) {
	case Object:
		v.object(t, n)
	case List:
		for _, e := range n.Items() {
			v.value(f, t.Elem, e)
		}
	case Map:
		for _, e := range n.Entries() {
			v.value(f, t.Elem, e)
		}
	case Scalar:
		text, _ := n.Text()
		if since := f.SinceOf[text]; !v.release.Has(since) {
			v.problems = append(v.problems, n.Problem(text+" is too new", tooOld(fmt.Sprintf("%q as %s", text, f.Name), since, v.release)))
		}
	}
}

func tooOld(what, since string, r Release) string {
	return fmt.Sprintf("Kuma knows %s since %s, and the control plane is %s. Remove it, or update the control plane.", what, since, r)
}
