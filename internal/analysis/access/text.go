package access

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	"github.com/kuma-universal/terraform-provider-kuma/internal/proxy"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

// Limits of texts. The matrix contains everything.
const (
	maxColumns   = 12
	maxRows      = 40
	maxSentences = 20
	maxNames     = 10
)

// legend explains the cells of [Matrix.Table].
var legend = [][2]string{
	{"yes", "the client can call the port"},
	{"NO", "the proxy of the client has a listener for the port, but the client is refused"},
	{"part", "some proxies of the service refuse the client"},
	{"(yes)", "the client is allowed, but its proxy has no listener for the port"},
	{"?", "not known whether the client is allowed"},
	{"-", "the client is not allowed, and its proxy has no listener for the port"},
}

// Legend explains the cells that a table of [Matrix.Table] has, each in a line. It is empty for no table,
// and ends with an empty line.
func Legend(table string) string {
	used := map[string]bool{}
	for i, line := range strings.Split(table, "\n") {
		if cells := strings.Fields(line); i > 0 && len(cells) > 0 {
			for _, cell := range cells[1:] {
				used[cell] = true
			}
		}
	}
	var b strings.Builder
	for _, l := range legend {
		if used[l[0]] {
			fmt.Fprintf(&b, "%-5s  %s\n", l[0], l[1])
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "Rows are ports of services.\n" +
		"Columns are clients, by the services that they provide:\n" + b.String() + "\n"
}

// cell returns the cell of an answer.
func (a Access) cell() string {
	switch {
	case a.isUnknown():
		return "?"
	case a.Reachable && a.Verdict == Partly:
		return "part"
	case a.Reachable && a.Verdict.Connects():
		return "yes"
	case a.Reachable:
		return "NO"
	case a.Verdict.Connects():
		return "(yes)"
	default:
		return "-"
	}
}

// Table returns the matrix as text with aligned columns. It shows the first clients and
// ports, with the number of those that it omits.
func (m Matrix) Table() string {
	shown := min(len(m.Clients), maxColumns)
	table := [][]string{{"port"}}
	for _, g := range m.Clients[:shown] {
		table[0] = append(table[0], g.Name)
	}
	ports := 0
	for _, row := range m.Rows {
		byClient := row.byClient(len(m.Clients))
		for _, p := range row.Ports {
			if ports++; ports > maxRows {
				continue
			}
			line := []string{portName(p)}
			for i := range shown {
				line = append(line, byClient[i].cell())
			}
			table = append(table, line)
		}
	}
	if ports == 0 || shown == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(aligned(table))
	if n := len(m.Clients) - shown; n > 0 {
		fmt.Fprintf(&b, "%s\n", phrase.More(n, "clients"))
	}
	if n := ports - maxRows; n > 0 {
		fmt.Fprintf(&b, "%s\n", phrase.More(n, "ports"))
	}
	return b.String()
}

// portName identifies a port in a text.
func portName(p rules.Port) string { return fmt.Sprintf("%s:%d", p.Resource.Name, p.Number) }

// aligned joins cells with spaces, so that those of a column begin at the same position.
func aligned(table [][]string) string {
	var b strings.Builder
	const spaces = 2
	w := tabwriter.NewWriter(&b, 0, 0, spaces, ' ', 0)
	for _, line := range table {
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	_ = w.Flush() // a builder does not fail
	return b.String()
}

// Summary describes who is refused although it has a listener, and who may call what it has
// no listener for, each with the reason, and who speaks plaintext. It ends with a line break, and is shortened.
func (m Matrix) Summary() string {
	var b strings.Builder
	ports, all := 0, 0
	for _, row := range m.Rows {
		ports += len(row.Ports)
	}
	for _, g := range m.Clients {
		if g.ReachesAll {
			all++
		}
	}
	fmt.Fprintf(&b, "Mesh %s: %s, %s of services.\n", phrase.Printable(m.Mesh), phrase.Count(len(m.Clients), "client", "clients"),
		phrase.Count(ports, "port", "ports"))
	if all > 0 {
		fmt.Fprintf(&b, "%s no services, and so can reach all.\n", phrase.Count(all, "client lists", "clients list"))
	}
	m.write(&b, "\nRefused, although the client has a listener:\n", "%s cannot call %s: %s\n",
		func(a Access) bool {
			return a.Reachable && !a.Verdict.Connects() && a.Verdict != Partly && !a.isUnknown()
		})
	const partly = "%s can partly call %s: %s\n"
	m.write(&b, "\nRefused by some of the proxies:\n", partly,
		func(a Access) bool { return a.Reachable && a.Verdict == Partly && !a.Plaintext && !a.isUnknown() })
	m.write(&b, "\nRefused by some of the proxies, and allowed, in plaintext, by others:\n", partly,
		func(a Access) bool { return a.Reachable && a.Verdict == Partly && a.Plaintext && !a.isUnknown() })
	m.write(&b, "\nNot known:\n", "Whether %s can call %s is not known: %s\n", func(a Access) bool { return a.isUnknown() })
	m.write(&b, "\nAllowed, but the proxy of the client has no listener for the service:\n", "%s may call %s: %s\n",
		func(a Access) bool { return !a.Reachable && a.Verdict.Connects() })
	m.write(&b, "\nAllowed, in plaintext:\n", "%s can call %s: %s\n",
		func(a Access) bool { return a.Reachable && a.Plaintext && a.Verdict != Partly })
	m.write(&b, "\nAllowed:\n", "%s can call %s: %s\n", func(a Access) bool { return a.Reachable && a.Verdict.Connects() && !a.Plaintext })
	return b.String()
}

func (m Matrix) write(b *strings.Builder, title, format string, shown func(Access) bool) {
	found := m.sentences(shown)
	if len(found) > 0 {
		b.WriteString(title)
	}
	for _, s := range found[:min(len(found), maxSentences)] {
		names := m.Names(Access{Clients: s.clients})
		fmt.Fprintf(b, format, phrase.Some(names, maxNames, "clients"), phrase.Some(s.ports, maxNames, "ports"), s.reason)
	}
	if n := len(found) - maxSentences; n > 0 {
		fmt.Fprintf(b, "%s\n", phrase.More(n, "groups of clients and ports"))
	}
}

// sentence is one reason for clients and ports.
type sentence struct {
	clients []int
	ports   []string
	reason  string
}

// sentences joins the answers of a row that differ only in the identifier of the client, and then rows.
func (m Matrix) sentences(shown func(Access) bool) (all []*sentence) {
	known := map[[sha256.Size]byte]*sentence{}
	for _, row := range m.Rows {
		var own []*sentence
		at := map[string]*sentence{}
		for _, a := range row.Access {
			if !shown(a) {
				continue
			}
			general := a.Reason
			if a.Match != "" {
				general = strings.Replace(a.Reason, a.Match, "their SPIFFE IDs", 1)
			}
			s := at[general]
			if s == nil {
				s = &sentence{reason: a.Reason}
				at[general], own = s, append(own, s)
			} else if s.reason != a.Reason {
				s.reason = general
			}
			s.clients = append(s.clients, a.Clients...)
		}
		for _, s := range own {
			slices.Sort(s.clients)
			key := sha256.Sum256(fmt.Append(nil, s.reason, s.clients))
			if known[key] == nil {
				known[key], all = s, append(all, s)
			}
			known[key].ports = append(known[key].ports, phrase.Each(row.Ports, portName)...)
		}
	}
	return all
}

// Names returns the names of the clients with an answer.
func (m Matrix) Names(a Access) []string {
	return phrase.Each(a.Clients, func(client int) string { return m.Clients[client].Name })
}

// By describes what decides: "denied by MeshTrafficPermission x", or else the reason.
func (a Answer) By() string {
	if a.Policy == (kuma.Key{}) {
		return a.Reason
	}
	verdict := a.Verdict
	if verdict == Partly {
		verdict = "partly denied"
	}
	return fmt.Sprintf("%s by %s %s", verdict, a.Policy.Type, a.Policy.Name)
}

// isUnknown reports whether it is not known that all proxies of the service accept or refuse the client.
func (a Answer) isUnknown() bool {
	v := cmp.Or(a.Refusal, a.Verdict)
	return v == proxy.Undecided || v == proxy.NoConfiguration
}
