package import GatewayCore

/// An observer that receives each record of a journal when it is written, e.g. to begin a fault after an event.
package protocol JournalObserver: AnyObject {
  /// Something has happened. On the journal's loop, in the middle of what happens: nothing may be done about it yet.
  func journalWrote(_ kind: JournalKind, by connection: ConnectionID?, of user: UserID?)
}
