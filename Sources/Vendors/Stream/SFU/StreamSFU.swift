internal import GatewayCore
package import GatewayTokens

/// The SFU's stand-in as the coordinator's side knows it: where it is, the tokens that open it, and how long it is
/// patient.
///
/// Nothing is kept for those who have joined over REST and not come yet: the token says it all, so that a join that
/// fails leaves nothing behind.
package struct StreamSFU: Sendable {
  let policy: StreamSFUPolicy
  let tokens: StreamSFUTokens
  private let executor: any (SerialExecutor & TaskExecutor)

  /// - Parameters:
  ///   - policy: Where clients find it, and how long it gives them.
  ///   - executor: One that `GatewayServices.sleep(for:)` may be called from: a loop of the gateway.
  package init(
    _ policy: StreamSFUPolicy, on executor: any (SerialExecutor & TaskExecutor), secrets: Secrets = .system
  ) {
    self.policy = policy
    self.executor = executor
    tokens = StreamSFUTokens(life: policy.tokenLife, secrets: secrets)
  }

  /// Where clients find it who sent `request`; nil if nobody can say where that was sent to.
  func address(for request: HTTPRequest) -> StreamSFUAddress? {
    if let address = policy.address { return StreamSFUAddress(address) }
    return request.host.map { StreamSFUAddress("http\(policy.isSecure ? "s" : "")://\($0)") }
  }

  /// Begins to take sockets of those out of the call who take part in it no more, and returns at once.
  ///
  /// - Parameter event: What they are told first; nil if their clients know.
  func letGo(
    _ participants: [StreamCallParticipant], of call: CallID, _ event: StreamSignalEvent?, _ calls: StreamCalls
  ) {
    guard !participants.isEmpty else { return }
    Task.immediate(executorPreference: executor) {
      await calls.takeOut(participants, of: call, event, farewell: policy.farewell)
    }
  }
}

/// Where an SFU is: the stand-in's places at an address such as `https://calls.example`, or those of one elsewhere.
struct StreamSFUAddress: Hashable {
  /// What the paths of the SFU's remote procedures follow.
  let url: String
  let socket: String

  init(url: String, socket: String) {
    self.url = url
    self.socket = socket
  }

  /// - Parameter address: Without a path, and without `/` at its end.
  init(_ address: String) {
    url = address + StreamSFURoutes.folder
    // "http" becomes "ws", "https" becomes "wss".
    socket = "ws" + address.dropFirst("http".utf8.count) + StreamSFUDialect.socketPath
  }
}

extension StreamCalls {
  /// Says `event` to the participants' sockets, which hear no more of the call then, and closes those that stay.
  fileprivate func takeOut(
    _ participants: [StreamCallParticipant], of call: CallID, _ event: StreamSignalEvent?, farewell: Duration
  ) async {
    for participant in participants {
      guard let connection = participant.connection else { continue }
      if let event { await signal(event, to: .connection(connection)) }
      await services.unwatch(call, by: connection)
    }
    await services.sleep(for: farewell)
    for participant in participants {
      guard let connection = participant.connection,
        // Where the store is away the socket goes: its client comes back if it still has a call.
        (try? await directory.calls(joinedBy: participant.user, on: connection, at: services.wallTime))?.isEmpty ?? true
      else { continue }
      _ = await services.control(
        SessionFilter(user: participant.user, connections: [connection]), .disconnect(.normal))
    }
  }

  /// Says something to sockets of the SFU.
  func signal(_ event: StreamSignalEvent, to audience: Audience) async {
    let frames = services.frames { dialect in
      (dialect as? StreamSFUDialect).map { event.frame($0.format) }
    }
    services.announce(Announcement(to: audience, frames))
  }
}
