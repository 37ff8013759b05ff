internal import GatewayCore
internal import GatewayKit

// A token order as the body of `POST /v1/tokens`.

extension TokenOrder {
  /// The maximum number of calls in one call token.
  static let callsMax = 100

  /// Reads an order.
  ///
  /// - Parameters:
  ///   - body: The body of the request.
  ///   - policy: The provider's policy.
  ///   - now: The time.
  ///   - renewed: The order of the refresh token in the body; nil if it has none.
  init(
    _ body: JSONObject, policy: TokenProviderPolicy, now: WallTime, renewing renewed: TokenOrder? = nil
  ) throws(GatewayError) {
    if var renewed {
      guard !["user_id", "kind", "call_cids", "scheme"].contains(where: { body.has($0) }) else {
        throw .invalidParameter.detailed("a refresh_token stands alone, without user_id, kind, call_cids and scheme")
      }
      renewed.life = try Self.life(body, policy, now)
      self = renewed
      return
    }
    let kind = try Self.kind(body)
    let calls = try Self.calls(body, kind)
    let life = try Self.life(body, policy, now)
    if kind == .anonymous && life == nil && policy.defaultLife == nil {
      throw .invalidParameter.detailed("a call token needs life_s or expires_at")
    }
    self.init(user: try Self.user(body, kind), kind: kind, life: life, calls: calls)
  }

  private static func kind(_ body: JSONObject) throws(GatewayError) -> UserKind {
    guard body.has("kind") else { return .regular }
    guard let name = try? body.string("kind"), let kind = UserKind(rawValue: name) else {
      throw .invalidParameter.detailed("kind must be regular, guest or anonymous")
    }
    return kind
  }

  private static func user(_ body: JSONObject, _ kind: UserKind) throws(GatewayError) -> UserID {
    let name = try body.string("user_id", bytes: 1...UserID.lengthMax)
    switch (kind, name.map { UserID($0) }) {
    case (.anonymous, nil), (.anonymous, UserID.anonymous?):
      return .anonymous
    case (.anonymous, _?):
      throw .invalidParameter.detailed("the user_id of kind anonymous is \(UserID.anonymous)")
    case (.regular, UserID.anonymous?), (.guest, UserID.anonymous?):
      throw .invalidParameter.detailed("the user_id \(UserID.anonymous) belongs to kind anonymous")
    case (.regular, let user?), (.guest, let user?):
      return user
    case (.regular, nil), (.guest, nil):
      throw .invalidParameter.detailed("user_id is missing; it must be a string of 1 to \(UserID.lengthMax) bytes")
    }
  }

  private static func calls(_ body: JSONObject, _ kind: UserKind) throws(GatewayError) -> [CallID]? {
    let names = try body.strings("call_cids", count: 1...callsMax)
    guard kind == .anonymous else {
      guard names == nil else { throw .invalidParameter.detailed("call_cids belongs to kind anonymous") }
      return nil
    }
    guard let names else { throw .invalidParameter.detailed("a call token needs call_cids, 1 to \(callsMax) of them") }
    var calls: [CallID] = []
    for name in names {
      guard let call = CallID(cid: name) else {
        throw .invalidParameter.detailed("every one of call_cids must be type:id, both of letters, digits, _, - and !")
      }
      calls.append(call)
    }
    return calls
  }

  private static func life(
    _ body: JSONObject, _ policy: TokenProviderPolicy, _ now: WallTime
  ) throws(GatewayError) -> TokenLife? {
    let lasting = try body.number("life_s")
    let until = try body.number("expires_at").map { WallTime(seconds: $0) }
    guard lasting == nil || until == nil else {
      throw .invalidParameter.detailed("give life_s or expires_at, not both")
    }
    if let until {
      try check(until - now, policy, "expires_at must be a unix time in seconds,")
      return .until(until)
    }
    guard let lasting else { return nil }
    let duration = Duration.nanoseconds(WallTime(seconds: lasting).nanoseconds)
    try check(duration, policy, "life_s must be")
    return .lasting(duration)
  }

  private static func check(
    _ life: Duration, _ policy: TokenProviderPolicy, _ what: String
  ) throws(GatewayError) {
    guard policy.lives.contains(life) else {
      let (least, most) = (policy.lives.lowerBound.inSeconds, policy.lives.upperBound.inSeconds)
      throw .invalidParameter.detailed("\(what) \(least) to \(most) s from now")
    }
  }
}
