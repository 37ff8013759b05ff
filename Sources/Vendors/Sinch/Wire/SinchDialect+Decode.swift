internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// The clients' messages.

extension SinchDialect {
  func decode(
    _ payload: UnsafeRawBufferPointer, _ kind: Frame.Kind, _ context: DialectContext
  ) throws(GatewayError) -> InboundMessage? {
    let typed = try TypedMessage(payload, kind, integersOfAnySize: true)
    let (type, message) = (typed.type, typed.object)
    switch type {
    case "start": return try Self.start(message)
    case "register": return try Self.registration(message, hasEnded: Self.hasEnded(context))
    case "registerFailed": return Self.credentials("", .registerFailed(hasEnded: Self.hasEnded(context)))
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

  /// Returns whether the registration has ended. One that an operator expired has ended too, whatever the directory
  /// says. A client that was told of a revocation has dropped its instance.
  private static func hasEnded(_ context: DialectContext) -> Bool { context.hasExpired || context.isRevoked }

  /// Returns the message with its name as the request id, from which the answer knows what it answers.
  private static func credentials(_ token: String, _ details: SinchDetails) -> InboundMessage {
    .credentials(
      Credentials(token: token, details: Baggage(details)), request: RequestID(details.message.rawValue))
  }

  private static func start(_ message: JSONObject) throws(GatewayError) -> InboundMessage {
    let device = SinchDevice(
      application: Name(try required("applicationKey", message, SinchApplications.keyLengthMax)),
      user: UserID(try required("userId", message, UserID.lengthMax)),
      device: Name(try required("deviceId", message, SinchDevice.lengthMax)))
    let token = try message.string("jwt", bytes: 1...SinchTokenVerifier.sizeMax) ?? ""
    guard message.has("instance") else { return credentials(token, .start(device, nil)) }
    guard let instance = message["instance"], let id = instance["id"]?.string,
      let timestamp = instance["timestamp"]?.string, let signature = instance["signature"]?.string, token.isEmpty
    else {
      throw .invalidParameter.detailed(
        "instance must be an object with the strings id, timestamp and signature, and comes without a jwt")
    }
    let proof = SinchInstanceProof(id: Name(id), timestamp: timestamp, signature: signature)
    return credentials(token, .start(device, proof))
  }

  private static func registration(
    _ message: JSONObject, hasEnded: Bool
  ) throws(GatewayError) -> InboundMessage {
    let token = try message.string("jwt", bytes: 1...SinchTokenVerifier.sizeMax)
    let ticket = try message.string("ticket", bytes: 1...SinchUserTicket.sizeMax)
    let signature = try message.string("signature", bytes: 1...256)
    switch (token, ticket, signature) {
    case (let token?, nil, nil): return credentials(token, .register(.token, hasEnded: hasEnded))
    case (nil, let ticket?, nil): return credentials(ticket, .register(.ticket, hasEnded: hasEnded))
    case (nil, nil, let signature?):
      let kind = SinchProofKind.signature(sequence: try sequence("sequence", in: message))
      return credentials(signature, .register(kind, hasEnded: hasEnded))
    default: throw .invalidParameter.detailed("send one of jwt, ticket, or signature with sequence")
    }
  }

  /// Reads the sequence of a legacy mobile signature: a number up to 18446744073709551615, which exceeds many parsers,
  /// or the same as a string.
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
