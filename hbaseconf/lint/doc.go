// Package lint reads a configuration as the daemons would and says what is
// wrong with it: where, what it does in numbers of this very file, and what to
// write instead.
//
// A rule is one small function together with its code, its severity, what it is
// about and an example that it finds and one that it does not (Rules). Adding
// one means writing it beside those of its subject and running the test with
// -update, which writes docs/rules.md anew.
//
// Run judges one configuration. Paths reads files and folders as they are named
// on a command line and judges each configuration that they hold. Nothing is
// contacted or changed; Fix only computes the files in which the safe findings
// are put right.
package lint
