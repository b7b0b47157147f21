// Package analyze turns measurements into a decision: is some configuration
// better than the baseline, by how much, and how sure is that.
//
// The pipeline is samples → blocks → comparisons, curves, noise → verdict.
// FromSweep (trials of a sweep) and the Import functions (measurements made by
// other tools) both give a Set of Samples; Set.Analyze gives a Result, which
// marshals to the document that `hbtune analyze --json` prints. Analyze is the
// short way from a sweep to a Result, and Candidate picks what a sweep's
// confirmation should measure.
//
// Three rules hold everywhere. The unit of replication is the restart
// (trial.Session), never the window. Responses are compared as logarithms, so
// an effect is a ratio and conditions combine by geometric mean. A sweep says
// "improves" only by its confirmation, measured on fresh restarts.
//
// The package reads no file, asks no clock and knows no cluster: the same input
// and seed give the same bytes. Package report, below, draws its results and
// computes nothing of its own.
package analyze
