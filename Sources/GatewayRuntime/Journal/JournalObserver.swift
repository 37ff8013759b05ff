package import GatewayCore

/// An observer who hears of everything that a journal writes, as it does: the faults of a gateway that begin when
/// martin has been asked for another token, for instance.
package protocol JournalObserver: AnyObject {
  /// Something has happened. On the journal's loop, in the middle of what happens: nothing may be done about it yet.
  func journalWrote(_ kind: JournalKind, by connection: ConnectionID?, of user: UserID?)
}
