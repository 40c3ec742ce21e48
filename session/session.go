// Package session is the life of a run: from its settings to its summary, and back to its network.
package session
