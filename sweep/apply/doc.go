// Package apply puts settings on a target, proves that they are in force, and
// puts everything back. sweep applies one variant after the other through it;
// profiles puts a recommended one into force, and takes it off again, through
// the very same code. It edits files with hbaseconf, restarts servers through
// sweep/local and reads back what they run with through sweep/metrics.
//
// # What is where
//
//	DIR/original/NODE/hbase-site.xml   the bytes before anything was touched
//	DIR/original/manifest.json         their paths, hashes, modes, owners; written last
//	DIR/original/departure.json        there while the target may differ from them
//	DIR/original/aside/NODE/…          foreign changes that --force replaced
//	DIR/variants/ID/NODE/…             what was applied
//	TARGET/apply.lock                  held by whoever works on the target, and says who
//	TARGET/apply.claim                 names the DIR whose settings are in force
//
// DIR is a sweep's folder, or the one that profiles keeps for an application of
// a profile. TARGET is the cluster's own folder.
//
// # Protocol
//
// Every line is forced to disk, folder included, before the next begins.
//
//	save      1  copy every file, then write the manifest
//	apply     2  render every file from its original, never from an edit;
//	             refuse what HBase would refuse, and files changed by others
//	          3  copy the rendered files to DIR/variants
//	          4  claim the target, note the departure with the hashes to come
//	          5  stage every new file and a spare of the original beside it
//	          6  rename the staged files into place
//	          7  note that servers restart; stop all, start all, wait for all regions
//	          8  prove: every server started after 6, and its /conf shows every value
//	restore   9  rename the originals back, spare or copy
//	         10  restart the servers that may run with something else, wait
//	         11  prove every file by its hash
//	         12  remove the departure, then the claim
//
// From this follows what holds after a kill at any instant. Without a manifest
// nothing was touched, so half-saved originals are saved again. Without a
// departure the target is as it was. With one, a file holds either its
// original or bytes whose hash the departure knows, and restore may replace
// it; anything else was written by somebody else and is left alone (Changed)
// unless forced. A server's running configuration is the original if it was
// never restarted since the departure; all others are restarted. Restore ends
// at the same state from any of these and may itself be killed and repeated.
//
// The disk may fill up at any time: all that needs space (1 to 5) comes before
// the first rename, and restoring needs none, the spare being one rename away
// and a state without departure.json meaning "as it was".
//
// A second folder must not mistake the settings of the first for originals:
// it meets the claim and is refused (Claimed). Two processes meet the lock
// (Locked), and so does whoever wants to stop the target (Reserve). Look and
// LookInto tell from the target and from DIR how things stand.
package apply
