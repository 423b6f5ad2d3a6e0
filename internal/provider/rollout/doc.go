// Package rollout contains the data sources about running proxies, such as
// kuma_proxies: what proxies have received from the control plane and how they
// answered.
package rollout
