// Package run is the run directory: the record of a training run, in plain files that other programs can read. There is
// no database: each run is a folder, and deleting the folder deletes the run. A process that trains a run holds the
// folder's lock.
//
// Create makes a run, Dir.Event and Dir.Save write to it; Open, List and Lookup find and read runs; the types that
// implement Event are the stream of metrics.jsonl.
//
// Stable: the files and their keys, to which more are only added (Format, Schema), the events, Create, Open, List,
// Lookup and Dir. Names for the command line's housekeeping (Spares, Judge, Claim) may change.
package run
