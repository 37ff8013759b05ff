package import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// What clients say.

extension SinchDialect {
  package func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    let typed = try TypedMessage(payload, kind, integersOfAnySize: true)
    let (type, message) = (typed.type, typed.object)
    switch type {
    case "start": return Self.credentials(.start, try Self.start(message))
    case "register": return Self.credentials(.register, try Self.registration(message, context))
    case "registerFailed": return Self.credentials(.registerFailed, Content(context))
    case "terminateGracefully": return .command(Command(type, SinchCommand.terminate), request: RequestID(type))
    case "unregisterPushToken": return .command(Command(type, SinchCommand.unregister), request: RequestID(type))
    case "joinCall": return .command(Command(CallCommand.join(try Self.call(message))), request: nil)
    case "leaveCall": return .command(Command(CallCommand.leave(try Self.call(message))), request: nil)
    case "ping": return .ping(request: nil)
    default:
      throw .unknownType.detailed(
        "type must be start, register, registerFailed, terminateGracefully, unregisterPushToken, joinCall, leaveCall "
          + "or ping")
    }
  }

  /// What a message with credentials says.
  private struct Content {
    var token = ""
    var details: [HTTPField] = []

    init() {}

    /// What an operator lets expire has ended as well, whatever the directory says; and a client that was told of a
    /// revocation, that its instance is unknown, has dropped it with its secret.
    init(_ context: DialectContext) {
      if context.hasExpired || context.isRevoked { add(SinchField.hasEnded, "") }
    }

    mutating func add(_ name: String, _ value: String?) {
      if let value { details.append(HTTPField(name, value)) }
    }
  }

  /// The message, its name kept as the request's: by it the answer knows what it answers.
  private static func credentials(_ message: SinchMessage, _ content: Content) -> InboundMessage {
    .credentials(
      Credentials(
        token: content.token, details: [HTTPField(SinchField.message, message.rawValue)] + content.details),
      request: RequestID(message.rawValue))
  }

  private static func start(_ message: JSONObject) throws(GatewayError) -> Content {
    var content = Content()
    content.add(SinchDevice.Note.application, try required("applicationKey", message, SinchApplications.keyLengthMax))
    content.add(SinchDevice.Note.user, try required("userId", message, UserID.lengthMax))
    content.add(SinchDevice.Note.device, try required("deviceId", message, SinchDevice.lengthMax))
    content.token = try message.string("jwt", bytes: 1...SinchTokenVerifier.sizeMax) ?? ""
    guard message.has("instance") else { return content }
    guard let instance = message["instance"], let id = instance["id"]?.string,
      let timestamp = instance["timestamp"]?.string, let signature = instance["signature"]?.string,
      content.token.isEmpty
    else {
      throw .invalidParameter.detailed(
        "instance must be an object with the strings id, timestamp and signature, and comes without a jwt")
    }
    content.add(SinchDevice.Note.instance, id)
    content.add(SinchField.timestamp, timestamp)
    content.add(SinchField.signature, signature)
    return content
  }

  private static func registration(
    _ message: JSONObject, _ context: DialectContext
  ) throws(GatewayError) -> Content {
    var content = Content(context)
    let kinds = [
      (SinchField.token, try message.string("jwt", bytes: 1...SinchTokenVerifier.sizeMax)),
      (SinchField.ticket, try message.string("ticket", bytes: 1...SinchUserTicket.sizeMax)),
      (SinchField.signature, try message.string("signature", bytes: 1...256)),
    ].compactMap { kind, text in text.map { (kind, $0) } }
    guard kinds.count == 1, let (kind, text) = kinds.first else {
      throw .invalidParameter.detailed("send one of jwt, ticket, or signature with sequence")
    }
    content.token = text
    content.add(SinchField.proof, kind)
    if kind == SinchField.signature { content.add(SinchField.sequence, String(try sequence("sequence", in: message))) }
    return content
  }

  /// The sequence of a legacy mobile signature: a number up to 18446744073709551615, which many parsers do not hold, or the
  /// same as a string.
  static func sequence(_ name: StaticString, in message: JSONObject) throws(GatewayError) -> UInt64 {
    let digits = (try? message.string(name, bytes: 1...20)) ?? (try? message.verbatim(name, depth: 0))
    guard let sequence = digits.flatMap(SinchMobileSignature.sequence) else {
      throw .invalidParameter.detailed("\(name) must be a whole number of 64 bits without sign")
    }
    return sequence
  }

  private static func required(
    _ name: StaticString, _ message: JSONObject, _ bytesMax: Int
  ) throws(GatewayError) -> String {
    guard let text = try message.string(name, bytes: 1...bytesMax) else {
      throw .invalidParameter.detailed("\(name) is missing; it must be a string")
    }
    return text
  }

  private static func call(_ message: JSONObject) throws(GatewayError) -> CallID {
    guard let cid = try message.string("callId", bytes: 1...CallID.lengthMax), let call = CallID(cid: cid) else {
      throw .invalidParameter.detailed(
        "callId must be type:id, both of letters, digits, _, - and !, \(CallID.lengthMax) bytes at most")
    }
    return call
  }
}
