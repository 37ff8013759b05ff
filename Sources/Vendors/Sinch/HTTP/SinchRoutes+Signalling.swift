internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The network that the legacy web SDK's active connection polls, in the form of its third generation: nobody ever says
// anything there, for no calls are simulated.

extension SinchRoutes {
  /// What an application's subscribe key begins with.
  static let subscribeKeyPrefix = "sub-"
  /// How long a poll waits for what never comes: less than a gateway that drains waits for answers.
  private static let pollWait = Duration.seconds(8)

  /// The network's time, in ten millionths of a second.
  func networkTime(_: HTTPRequest, _: PathParameters) async throws(GatewayError) -> HTTPResponse {
    HTTPResponse(status: 200, json: Array("[\(networkTime)]".utf8))
  }

  /// The first poll, of time 0, is answered at once; those behind it wait.
  func subscribe(_: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    try checkSubscriber(parameters)
    guard let since = UInt64(parameters["time"]) else {
      throw .invalidParameter.detailed("the time must be a whole number, as the answer before has it")
    }
    if since > 0 { await services.sleep(for: Self.pollWait, as: "a poll of a network on which nobody speaks") }
    return HTTPResponse(status: 200, json: Array("[[],\"\(networkTime)\"]".utf8))
  }

  /// Who goes tells the network.
  func leaveChannel(_: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    try checkSubscriber(parameters)
    return HTTPResponse(
      status: 200,
      json: JSONWriter.object { json in
        json.member("status", 200)
        json.member("action", "leave")
        json.member("message", "OK")
        json.member("service", "Presence")
      })
  }

  private var networkTime: Int64 { services.wallTime.nanoseconds / 100 }

  private func checkSubscriber(_ parameters: PathParameters) throws(GatewayError) {
    let key = parameters["subscribe_key"]
    guard key.hasPrefix(Self.subscribeKeyPrefix),
      settings.applications[Name(String(key.dropFirst(Self.subscribeKeyPrefix.count)))] != nil
    else { throw SinchRefusal.unknownApplication.gatewayError }
  }
}
