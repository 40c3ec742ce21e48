// Package run is the run directory: the record of a training run, in plain files that other programs can read. There is
// no database: each run is a folder, and deleting the folder deletes the run. A process that trains a run holds the
// folder's lock.
//
// Create makes a run, Dir.Event and Dir.Save write to it (run/event has what happens); Open, List and Lookup find runs.
// Read file.go, status.go and dir.go first: the other files need them.
//
// Stable: the files and their keys, to which more are only added (Format), Create, Open, List, Lookup and Dir. Names
// for the command line's housekeeping (Spares, Judge, Claim) may change.
package run
