internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The network that the legacy web SDK's active connection polls, in the form of its third generation. It never delivers
// a message, since no calls are simulated.

extension SinchRoutes {
  /// The prefix of an application's subscribe key.
  static let subscribeKeyPrefix = "sub-"
  /// The length of a poll, which never gets a message: less than a draining gateway waits for answers.
  private static let pollWait = Duration.seconds(8)

  /// Returns the network's time in ten millionths of a second.
  func networkTime(_: HTTPRequest, _: PathParameters) async throws(GatewayError) -> HTTPResponse {
    HTTPResponse(status: 200, json: Array("[\(networkTime)]".utf8))
  }

  /// Answers the first poll, with time 0, at once; later ones wait.
  func subscribe(_: HTTPRequest, _ parameters: PathParameters) async throws(GatewayError) -> HTTPResponse {
    try checkSubscriber(parameters)
    guard let since = UInt64(parameters["time"]) else {
      throw .invalidParameter.detailed("the time must be a whole number, as the answer before has it")
    }
    if since > 0 { await services.sleep(for: Self.pollWait, as: "a poll of a network on which nobody speaks") }
    return HTTPResponse(status: 200, json: Array("[[],\"\(networkTime)\"]".utf8))
  }

  /// Accepts the message of a client that leaves.
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
