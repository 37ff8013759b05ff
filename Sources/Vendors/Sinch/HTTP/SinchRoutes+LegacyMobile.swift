internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

// The only route of the legacy mobile SDKs.

extension SinchRoutes {
  func registerMobile(_ request: HTTPRequest, _: PathParameters) async throws(GatewayError) -> HTTPResponse {
    let (device, proof) = try Self.body(request) { (body) throws(GatewayError) in
      func text(_ name: StaticString, _ bytesMax: Int) throws(GatewayError) -> String {
        guard let text = try body.string(name, bytes: 1...bytesMax) else {
          throw .invalidParameter.detailed("\(name) is missing; it must be a string")
        }
        return text
      }
      let device = SinchDevice(
        application: Name(try text("ApplicationKey", SinchApplications.keyLengthMax)),
        user: UserID(try text("UserId", UserID.lengthMax)), device: Name(try text("DeviceId", SinchDevice.lengthMax)))
      let sequence = try SinchDialect.sequence("Seed", in: body)
      return (device, SinchProof.signature(try text("Signature", 256), sequence: sequence))
    }
    let now = services.wallTime
    let registered = try await register(device, proof, at: now)
    return HTTPResponse(status: 200, json: Self.legacyInstance(registered.instance, registered.secret ?? [], at: now))
  }

  /// Returns the form that the legacy web SDK reads; `expiresIn` is null for a registration without an end.
  static func legacyInstance(_ instance: SinchInstance, _ secret: [UInt8], at now: WallTime) -> [UInt8] {
    JSONWriter.object { json in
      json.member("id", instance.id.text)
      json.member("secret", Base64.encode(secret))
      json.member("expiresIn", secondsOf: instance.endsAt.map { ($0 - now).nanoseconds })
    }
  }
}
