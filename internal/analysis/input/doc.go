// Package input determines the resources of one mesh, as a control plane stores them and a
// release reads them: from stored resources or documents, with planned changes, with what the
// control plane adds to a new mesh, and with the MeshServices that it generates within seconds.
package input
