internal import GatewayCore
internal import GatewayRuntime

/// The state of the hooks for one connection. Touched only on its loop.
///
/// `@unchecked Sendable`: see above.
final class HookSeat: WakeupTarget, @unchecked Sendable {
  /// A task that the gateway does for the session by itself.
  enum Duty: Equatable {
    case none
    /// Asks the backend before the client would be asked.
    ///
    /// `due` is when the client would be asked, if the backend is to be asked for that; nil if that is not planned yet.
    case refresh(due: Instant?)
    /// Renews the session for a while, again and again, since the backend cannot be asked.
    case grace(Grace)
  }

  struct Grace: Equatable {
    /// The end of the last extension.
    var until: WallTime
    /// The end of the token that the client has presented; nil if the session does not end with it.
    let bound: WallTime?
    /// When the session is closed if the backend is still away; the distant future for never.
    let closeAt: Instant

    init(until: WallTime, bound: WallTime?, closeAt: Instant) {
      self.until = until
      self.bound = bound
      self.closeAt = closeAt
    }
  }

  let connection: ConnectionID
  let dialect: String
  /// Whether the client renews its token by a new connection.
  let returns: Bool
  let hooks: Hooks
  /// The fields are dropped once no hook needs them.
  var origin: UpgradeOrigin
  /// The backend's `info`, as JSON.
  var info: String?
  /// The user of the client's tokens, and the name that the backend has given it; nil if that is the same.
  var renamed: (user: UserID, name: UserID)?
  /// The token on which the session is based, with its own end; nil before the login.
  var token: VerifiedToken?
  /// The user that may come back because of this connection; nil for none.
  var admitted: HookReturns.Key?
  private(set) var duty = Duty.none
  /// Nil before the first duty with a time.
  private var wakeup: Wakeup?

  init(
    _ connection: ConnectionID, _ dialect: String, returns: Bool, from origin: UpgradeOrigin, of hooks: Hooks
  ) {
    self.connection = connection
    self.dialect = dialect
    self.returns = returns
    self.origin = origin
    self.hooks = hooks
  }

  /// The grace that the session has; nil for none.
  var grace: Grace? {
    if case .grace(let grace) = duty { grace } else { nil }
  }

  /// Sets the duty and the time of the next wakeup. If that ends a grace, it is counted as `ending`.
  func take(_ new: Duty, wakingAt time: Instant?, ending: HookCounts.Ending, on loop: EventLoop) {
    var isOnGrace = false
    if case .grace = new { isOnGrace = true }
    if grace == nil, isOnGrace { hooks.noteGraceBegun(of: self, on: loop) }
    if grace != nil, !isOnGrace { hooks.noteGraceEnded(ending, of: self, on: loop) }
    duty = new
    if let time, !loop.hasEnded {
      let wakeup = wakeup ?? Wakeup(target: self)
      self.wakeup = wakeup
      loop.deadlines.set(wakeup, at: time)
    } else if let wakeup {
      loop.deadlines.remove(wakeup)
    }
  }

  func wakeUp() { hooks.review(self) }
}
