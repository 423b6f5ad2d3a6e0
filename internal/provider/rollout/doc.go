// Package rollout contains the data sources and actions about running proxies: what
// they have received from the control plane, and how they answered.
package rollout
