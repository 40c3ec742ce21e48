// Package session is the life of a run: from its settings to its summary, and back to its network.
//
// Stable: Open and Model. The package is new, and other names may change.
package session
