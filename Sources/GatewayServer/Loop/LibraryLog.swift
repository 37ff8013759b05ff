internal import CLibWebSockets
internal import Synchronization

/// The receiver of libwebsockets' errors, e.g. the operator's log. Without it the library would write them, and other output,
/// to standard error.
package enum LibraryLog {
  private static let receiver = Mutex<(@Sendable (String) -> Void)?>(nil)

  /// Sends the library's error lines to `receiver` from here on, from any thread; nil drops them.
  package static func send(to receiver: (@Sendable (String) -> Void)?) {
    self.receiver.withLock { $0 = receiver }
  }

  static func install() {
    postern_set_error_log { _, line in
      guard let line, let receiver = LibraryLog.receiver.withLock({ $0 }) else { return }
      var text = String(cString: line)
      while text.last == "\n" { text.removeLast() }
      receiver(text)
    }
  }
}
