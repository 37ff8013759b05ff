internal import GatewayCore
internal import GatewayJSON

// The push devices of users. The gateway sends no push notifications.

extension StreamCallRoutes {
  /// The maximum number of devices of one user.
  private static let devicesMax = 100
  private static let providers = ["firebase", "apn", "huawei", "xiaomi"]

  var deviceRoutes: [HTTPRoute] {
    rest.resource("POST", .common("devices"), "CreateDevice", .user) { request throws(StreamError) in
      let device = try Self.device(request)
      let user = try request.actingUser()
      _ = try await updateDevices(of: user, at: request.receivedAt) { (devices) throws(GatewayError) in
        devices.removeAll { $0.id == device.id }
        guard devices.count < Self.devicesMax else { throw .tooMany.detailed("\(Self.devicesMax) devices of a user") }
        devices.append(device)
      }
      return StreamAnswer(201)
    }
      + rest.resource("GET", .common("devices"), "ListDevices", .user) { request throws(StreamError) in
        let user = try request.actingUser()
        let devices = try await rest.users([user]).first?.devices ?? []
        return StreamAnswer(200) { json in
          json.name("devices")
          json.beginArray()
          for device in devices { device.write(to: &json, of: user, request.dates) }
          json.endArray()
        }
      }
      + rest.resource("DELETE", .common("devices"), "DeleteDevice", .user) { request throws(StreamError) in
        guard let id = request.http.parameter("id").map({ Name($0) }), !id.text.isEmpty else {
          throw .input("id is a required field", field: "id")
        }
        let user = try request.actingUser()
        guard try await rest.users([user]).first?.devices.contains(where: { $0.id == id }) ?? false else {
          throw .doesNotExist("there is no device of that id")
        }
        _ = try await updateDevices(of: user, at: request.receivedAt) { $0.removeAll { $0.id == id } }
        return StreamAnswer(200)
      }
  }

  private static func device(_ request: StreamRequest) throws(StreamError) -> StreamDevice {
    let id = try request.body.requiredString("id", max: 255)
    let provider = try request.body.requiredString("push_provider", max: 255)
    guard providers.contains(provider) else {
      throw request.body.wrong("push_provider", "one of \(providers.joined(separator: ", "))")
    }
    return StreamDevice(
      id: Name(id), pushProvider: provider, pushProviderName: try request.body.string("push_provider_name", max: 255),
      isVoIP: try request.body.bool("voip_token") ?? false, createdAt: request.receivedAt)
  }

  private func updateDevices(
    of user: UserID, at now: WallTime, _ change: (inout [StreamDevice]) throws(GatewayError) -> Void
  ) async throws(StreamError) -> StreamUser {
    try await rest.update(user, creates: true, at: now) { (user, _) throws(GatewayError) in try change(&user.devices) }
  }
}
