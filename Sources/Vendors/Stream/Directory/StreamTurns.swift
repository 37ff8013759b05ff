internal import GatewayCore
internal import Synchronization

/// A queue at each call of those who want to change it: of thousands who join one livestream at once, say, each has its turn.
/// Without it all but one of them would have to begin anew, again and again. Of one process: what others change meanwhile
/// the store tells.
final class StreamTurns: Sendable {
  /// Who waits, by the call that somebody is at.
  private let waiting = Mutex<[CallID: [CheckedContinuation<Void, Never>]]>([:])

  /// Does `body` when nobody else is at the call.
  func take<Answer, Failure: Error>(
    _ call: CallID, _ body: () async throws(Failure) -> Answer
  ) async throws(Failure) -> Answer {
    await wait(for: call)
    defer { give(call) }
    return try await body()
  }

  private func wait(for call: CallID) async {
    await withCheckedContinuation { continuation in
      let isFree = waiting.withLock { waiting in
        guard waiting[call] != nil else {
          waiting[call] = []
          return true
        }
        waiting[call]?.append(continuation)
        return false
      }
      if isFree { continuation.resume() }
    }
  }

  private func give(_ call: CallID) {
    let next = waiting.withLock { waiting -> CheckedContinuation<Void, Never>? in
      if waiting[call]?.isEmpty == false { return waiting[call]?.removeFirst() }
      waiting[call] = nil
      return nil
    }
    next?.resume()
  }
}
