internal import GatewayCore

/// A waiter for lines of the journal, with a limit in the network's time.
///
/// `@unchecked Sendable`: touched only on the journal's loop, and on the loop around it.
final class JournalWaiter: WakeupTarget, @unchecked Sendable {
  let query: Journal.Query
  var page: JournalPage
  /// The total number of lines wanted.
  let count: Int
  let then: @Sendable (Journal.Outcome) -> Void
  private let pass: () -> Void
  private(set) var wakeup: Wakeup!

  /// Creates a waiter that calls `pass` when its time has passed.
  init(
    _ query: Journal.Query, _ page: JournalPage, count: Int, then: @escaping @Sendable (Journal.Outcome) -> Void,
    pass: @escaping () -> Void
  ) {
    self.query = query
    self.page = page
    self.count = count
    self.then = then
    self.pass = pass
    wakeup = Wakeup(target: self)
  }

  func wakeUp() { pass() }
}
