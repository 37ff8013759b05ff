package import GatewayCore

/// An upgrade whose answer is not known yet, e.g. because it depends on another server. Only on its loop.
///
/// `@unchecked Sendable`: made and used on one loop.
package final class PendingUpgrade: @unchecked Sendable {
  /// The answer to the client.
  package enum Answer: Sendable {
    /// 101 with `subprotocol`, if there is one, and these fields. The handler is called as after
    /// ``Admission/accept(_:subprotocol:)``.
    case accept(any SocketHandler, subprotocol: String?, fields: [HTTPField])
    case refuse(HTTPResponse)
  }

  private var answer: Answer?
  private var listener: ((Answer) -> Void)?
  private var onLeave: (() -> Void)?
  private var isOver = false
  private var wrapping: (any SocketHandler) -> any SocketHandler = { $0 }

  /// Creates an upgrade.
  ///
  /// - Parameter onLeave: Called once if the client leaves, or its server ends, before the answer.
  package init(onLeave: @escaping () -> Void) {
    self.onLeave = onLeave
  }

  /// Gives the answer. Returns false, and does nothing, if the client has left or another answer was given.
  @discardableResult
  package func give(_ answer: Answer) -> Bool {
    guard !isOver else { return false }
    isOver = true
    onLeave = nil
    var answer = answer
    if case .accept(let handler, let subprotocol, let fields) = answer {
      answer = .accept(wrapping(handler), subprotocol: subprotocol, fields: fields)
    }
    if let listener {
      self.listener = nil
      listener(answer)
    } else {
      self.answer = answer
    }
    return true
  }

  /// Passes the handler of an accepted client through `wrap` first.
  package func wrap(_ wrap: @escaping (any SocketHandler) -> any SocketHandler) {
    let inner = wrapping
    wrapping = { wrap(inner($0)) }
  }

  // MARK: For the transport

  /// Calls `body` with the answer: inside this call if it is there, else when it is given.
  package func answered(_ body: @escaping (Answer) -> Void) {
    guard let answer else { return listener = body }
    self.answer = nil
    body(answer)
  }

  /// Notes that the client has left, or its server ends. Does nothing after the answer.
  package func leave() {
    listener = nil
    guard !isOver else { return }
    isOver = true
    let told = onLeave
    onLeave = nil
    told?()
  }
}
