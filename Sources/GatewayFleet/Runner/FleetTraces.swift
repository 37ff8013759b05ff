internal import GatewayCore
internal import GatewayRuntime

/// The traced operations of the clients of one loop: logins and refreshes, with the requests for tokens below them.
///
/// `@unchecked Sendable`: touched only on its loop.
final class FleetTraces: @unchecked Sendable {
  private let traces: LoopTraces
  private let dialect: String
  /// The operations under way, by the numbers of their clients.
  private var logins: [Int: TraceOperation] = [:]
  private var refreshes: [Int: TraceOperation] = [:]

  init(_ traces: LoopTraces, dialect: String) {
    self.traces = traces
    self.dialect = dialect
  }

  /// Notes what a client did.
  func note(_ record: ClientRecord, of client: Int) {
    switch record {
    case .asked: refreshes[client] = traces.begin("refresh", .client, dialect: dialect)
    case .refreshed: end(&refreshes, client, nil)
    case .refreshRefused(let reason), .gaveUp(let reason): end(&refreshes, client, reason)
    case .connected, .returned: end(&logins, client, nil)
    case .connectFailed(let reason), .returnRefused(let reason, _), .returnFailed(let reason):
      end(&logins, client, reason)
    case .lost(let reason, _, _):
      end(&logins, client, reason)
      end(&refreshes, client, reason)
    case .interrupted, .left:
      end(&logins, client, nil)
      end(&refreshes, client, nil)
    case .connecting, .reconnecting, .unfinished, .askedAgain, .answered, .margin, .endedKnowing, .error: break
    }
  }

  private func end(_ operations: inout [Int: TraceOperation], _ client: Int, _ failure: String?) {
    operations.removeValue(forKey: client)?.end(failing: failure)
  }

  /// Adds the trace of a client's login to its upgrade.
  func join(_ upgrade: inout HTTPRequest, of client: Int, to host: String) {
    let operation = logins[client] ?? traces.begin("connect", .client, dialect: dialect)
    operation.server = host
    logins[client] = operation
    upgrade.headers += operation.context.fields
  }

  /// Begins the span of a client's request for a token, and adds its trace to the request.
  func ask(_ request: inout HTTPRequest, _ purpose: FetchPurpose, of client: Int, at host: String) -> OutboundSpan {
    let operation =
      switch purpose {
      case .refresh, .hopelessRefresh: refreshes[client]
      case .login, .sessionKey: logins[client]
      }
    let span = traces.ask("token fetch", method: request.method, of: host, in: operation?.scope)
    request.headers += span.context.fields
    return span
  }
}

extension LoopFleet {
  /// Sends a client's request for a token, with its trace if there are traces.
  nonisolated(nonsending) func fetchToken(
    _ request: HTTPRequest, from target: DialTarget, _ purpose: FetchPurpose, of client: Int, timeout: Duration
  ) async -> Result<HTTPResponse, DialFailure> {
    guard let traces else { return await dialer.fetch(request, from: target, timeout: timeout) }
    var request = request
    let span = traces.ask(&request, purpose, of: client, at: target.host)
    let result = await dialer.fetch(request, from: target, timeout: timeout)
    switch result {
    case .success(let response):
      span.end(status: response.status, error: response.status >= 400 ? String(response.status) : nil)
    case .failure(let failure): span.end(status: nil, error: failure.reason)
    }
    return result
  }
}
