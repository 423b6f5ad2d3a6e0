package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/answer"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/input"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/analysis/upgrade"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kinds"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma"
	"github.com/kuma-universal/terraform-provider-kuma/internal/kuma3"
	"github.com/kuma-universal/terraform-provider-kuma/internal/phrase"
	running "github.com/kuma-universal/terraform-provider-kuma/internal/provider/rollout"
	"github.com/kuma-universal/terraform-provider-kuma/internal/rules"
)

func runUpgrade(ctx context.Context, arguments []string, s streams) (int, error) {
	o := newOptions("upgrade", "[PATH]", s, "html")
	details := o.Bool("details", false, "also show each document, and the comparison of the proxies")
	write := o.String("write", "", "`directory` for the rewritten documents, stage-one.yaml and stage-two.yaml")
	zone := o.String("zone", "", "`name` of the zone whose control plane stores documents without labels of a control plane")
	from := o.source()
	paths, err := o.parse(arguments, 0, 1)
	if err != nil {
		return 0, err
	}
	options := upgrade.Options{ControlPlane: kuma.ControlPlane{Zone: *zone, Release: o.requested}}
	if *zone != "" {
		options.ControlPlane.Mode = kuma.ModeZone
	}
	var resources []kuma.Resource
	var checks upgrade.Checks
	if len(paths) == 1 {
		resources, checks, err = s.upgradable(paths[0], &options)
	} else {
		resources, checks, err = from.readUpgradable(ctx, &options)
	}
	switch {
	case err != nil:
		return 0, err
	case options.ControlPlane.Release.Kuma3():
		return 0, o.wrong("upgrade reads what Kuma 2 stores, and the release is %s.", options.ControlPlane.Release)
	}
	if o.mesh != "" {
		resources = ofMesh(resources, o.mesh)
	}
	if len(resources) == 0 {
		return 0, fmt.Errorf("there are no Kuma resources")
	}
	limitMemory(len(resources))
	found, err := answer.OfUpgrade(resources, options, checks)
	if err != nil {
		return 0, err
	}
	if *write != "" {
		if err := os.MkdirAll(*write, 0o755); err != nil {
			return 0, pathError(*write, err)
		}
		for name, texts := range map[string][]string{"stage-one.yaml": found.StageOne, "stage-two.yaml": found.StageTwo} {
			if err := os.WriteFile(filepath.Join(*write, name), []byte(strings.Join(texts, "---\n")), 0o600); err != nil {
				return 0, pathError(*write, err)
			}
		}
	}
	text := found.Overview
	if *details {
		text += "\nDetails\n" + found.ReportText + "\n" + found.Proof
	} else {
		text += "\n-details shows each document, with the choices for what cannot be rewritten, and the comparison of the proxies.\n"
	}
	all := answers{negative: !found.Ready}
	all.add("", found, text)
	if o.format == "html" {
		return all.code(), ofUpgrade(found.Ready, text).write(s.out)
	}
	return all.write(o, s.out)
}

// limitMemory sets how much memory the rewriting of documents takes, which all stay in use until its end: garbage is collected
// less often than by default until it is reached, and more often then.
func limitMemory(documents int) {
	const least, perDocument = 450 << 20, 36 << 10
	debug.SetGCPercent(100)
	debug.SetMemoryLimit(min(debug.SetMemoryLimit(-1), max(least, int64(documents)*perDocument))) // or GOMEMLIMIT
}

// upgradable reads the documents at a path, of kinds that the provider does not have too.
func (s streams) upgradable(path string, options *upgrade.Options) (resources []kuma.Resource, checks upgrade.Checks, err error) {
	files, err := (&documents{}).filesAt(path)
	if err != nil {
		return nil, checks, err
	}
	read := input.OfAllKinds()
	for _, file := range files {
		text, err := textOf(file, s.in)
		if err != nil {
			return nil, checks, err
		}
		if err := read.Text(text); err != nil {
			return nil, checks, fileError{file, err}
		}
	}
	options.ControlPlane = read.ControlPlane(options.ControlPlane)
	checks.Others = []string{"Not checked: the configuration of the control plane, authorities in Secrets, and the releases and features of " +
		"running proxies. Without a path, upgrade reads them."}
	return read.Resources(), checks, nil
}

// readUpgradable reads everything that a control plane stores, and what its running proxies lack.
func (s *source) readUpgradable(ctx context.Context, to *upgrade.Options) (resources []kuma.Resource, checks upgrade.Checks, err error) {
	base, err := s.controlPlane(ctx)
	if err != nil {
		return nil, checks, err
	}
	to.ControlPlane = base.store.ControlPlane
	for _, k := range append(kinds.All(), kinds.Older()...) {
		if !base.store.Has(k) || len(k.SecretFields()) > 0 {
			continue
		}
		for r, err := range base.store.All(ctx, k, "") {
			if err != nil {
				return nil, checks, err
			}
			resources = append(resources, r)
		}
	}
	var proxies []rollout.Proxy
	var rejected, unread []string
	names, err := base.selected(ctx, s.options)
	if err != nil {
		return nil, checks, err
	}
	for _, mesh := range names {
		now, err := running.ReadMesh(ctx, base.store, mesh)
		if err != nil {
			return nil, checks, err
		}
		authorities, err := running.ReadAuthorities(ctx, base.store, mesh, rules.Newest())
		if err != nil {
			return nil, checks, err
		}
		for _, a := range authorities {
			switch about := fmt.Sprintf("%s: %s", a.Resource.Local(), a.Problem); {
			case a.Resource.Type != kinds.MeshIdentity.Name || a.Problem == "":
			case a.Expires.IsZero():
				unread = append(unread, "Not checked: the authority of "+about)
			case a.Secret != "": // the report has those in documents
				rejected = append(rejected, about)
			}
		}
		proxies = append(proxies, slices.DeleteFunc(now.Proxies, func(p rollout.Proxy) bool { return !p.Connected })...)
	}
	checks = base.configuration(ctx)
	const newest = "2.14.7" // known patch
	if cp := to.ControlPlane; !cp.Embedded && !cp.Release.Has(newest) {
		checks.Running = append(checks.Running, fmt.Sprintf("The control plane is older than %s. Upgrade it to the newest 2.14 first.", newest))
	}
	checks.Running = append(checks.Running, rollout.Unready3(proxies)...)
	checks.Authorities, checks.Others = rejected, append(checks.Others, unread...)
	checks.Others = append(checks.Others, fmt.Sprintf("Checked: %s connected.", phrase.Count(len(proxies), "proxy is", "proxies are")))
	return resources, checks, nil
}

// configuration checks the configuration of a control plane.
func (b *base) configuration(ctx context.Context) (checks upgrade.Checks) {
	cp := b.store.ControlPlane
	config, err := b.store.Client().Configuration(ctx)
	if err != nil {
		checks.Others = append(checks.Others, fmt.Sprintf("Not checked: the configuration of the control plane. %v", err))
		return checks
	}
	var ignored []string
	checks.Settings, ignored = kuma3.Settings(config, cp)
	if len(ignored) > 0 {
		checks.Others = append(checks.Others, "Kuma 3.0 ignores these settings of the control plane: "+phrase.And(ignored...)+".")
	}
	if cp.Mode == kuma.ModeGlobal || cp.Federated {
		checks.Others = append(checks.Others, "Not checked: the configuration of the other control planes. Run upgrade with each of them.")
	}
	return checks
}
