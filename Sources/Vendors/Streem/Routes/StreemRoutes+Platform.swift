internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

// The vendor's REST API for companies' servers, as far as it is published: HTTP Basic with an API key, snake case.

extension StreemRoutes {
  /// The maximum number of rooms in one answer.
  private static let roomsMax = 100

  var platformRoutes: [HTTPRoute] {
    let reservations = "/v1/companies/{code}/groups/{group}/reservations"
    return [
      group.route("GET", "/v1/companies/{code}") { request, parameters throws(StreemFailure) in
        let company = try await company(request, parameters)
        return HTTPResponse(status: 200, json: JSONWriter.object { $0.member("company", company) })
      },
      group.route("POST", reservations) { request, parameters throws(StreemFailure) in
        try await reserve(request, parameters)
      },
      group.route("GET", reservations + "/{sid}") { request, parameters throws(StreemFailure) in
        try await showReservation(request, parameters)
      },
      group.route("POST", reservations + "/{sid}/cancel") { request, parameters throws(StreemFailure) in
        try await cancelReservation(request, parameters)
      },
      group.route("GET", "/v1/rooms") { request, _ throws(StreemFailure) in try await listRooms(request) },
      group.route("POST", "/v1/rooms/{room}/share-tokens") { request, parameters throws(StreemFailure) in
        try await share(request, Name(parameters["room"]))
      },
    ] + webhookRoutes
  }

  // MARK: Callers

  /// Returns the code of the company whose API key the request contains.
  private func callerCompany(_ request: HTTPRequest) async throws(StreemFailure) -> Name {
    let basic = StreemRequest.basic(request)
    let now = services.wallTime
    let known = try await asking { () async throws(GatewayError) -> StreemAPIKey? in
      guard let basic else { return nil }
      return try await directory.apiKey(Name(basic.id), at: now)
    }
    guard let secret = basic?.secret, let key = known, !key.isRevoked, let wanted = key.secretHash,
      let presented = StreemSecret.hash(presented: secret),
      ConstantTime.areEqual(wanted, presented)
    else {
      var failure = StreemFailure(.credentialsMissing)
      failure.message = "send a live API key's id and secret as Authorization: Basic"
      failure.headers = [HTTPField("www-authenticate", #"Basic realm="postern", charset="UTF-8""#)]
      throw failure
    }
    return key.company
  }

  /// Returns the company whose API key the request contains.
  func caller(_ request: HTTPRequest) async throws(StreemFailure) -> StreemCompany {
    let code = try await callerCompany(request)
    let now = services.wallTime
    return try await asking { () async throws(GatewayError) in
      guard let company = try await directory.company(code, at: now) else { throw .companyUnknown }
      return company
    }
  }

  /// Returns the company in the path, which must be the caller's own. Other companies get the same answer as unknown
  /// ones.
  private func company(
    _ request: HTTPRequest, _ parameters: PathParameters
  ) async throws(StreemFailure) -> StreemCompany {
    let own = try await caller(request)
    guard Name(parameters["code"]) == own.code else { throw StreemFailure(.companyUnknown) }
    return own
  }

  // MARK: Reservations

  private func reserve(
    _ request: HTTPRequest, _ parameters: PathParameters
  ) async throws(StreemFailure) -> HTTPResponse {
    let company = try await company(request, parameters)
    do throws(GatewayError) {
      let now = services.wallTime
      let reservation = try JSONObject.read(request.body) { (body) throws(GatewayError) in
        try StreemReservation(
          body, company: company.code, group: Name(parameters["group"]), secrets: inviting.secrets, at: now)
      }
      try await directory.addReservation(reservation, at: now)
      return Self.answer(reservation, company, status: 201)
    } catch {
      throw StreemFailure(error)
    }
  }

  private func showReservation(
    _ request: HTTPRequest, _ parameters: PathParameters
  ) async throws(StreemFailure) -> HTTPResponse {
    let company = try await company(request, parameters)
    return Self.answer(try await known(company, parameters), company, status: 200)
  }

  private func cancelReservation(
    _ request: HTTPRequest, _ parameters: PathParameters
  ) async throws(StreemFailure) -> HTTPResponse {
    let company = try await company(request, parameters)
    let before = try await known(company, parameters)
    do throws(GatewayError) {
      let after = try await directory.cancelReservation(before.sid, at: services.wallTime)
      if after.status != before.status { await tell(company, before, after) }
      return Self.answer(after, company, status: 200)
    } catch {
      throw StreemFailure(error)
    }
  }

  private func known(
    _ company: StreemCompany, _ parameters: PathParameters
  ) async throws(StreemFailure) -> StreemReservation {
    let now = services.wallTime
    let found = try await asking { () async throws(GatewayError) in
      try await directory.reservation(Name(parameters["sid"]), at: now)
    }
    guard let reservation = found, reservation.company == company.code, reservation.group == Name(parameters["group"])
    else { throw StreemFailure(.notFound.detailed("there is no such reservation")) }
    return reservation
  }

  private static func answer(
    _ reservation: StreemReservation, _ company: StreemCompany, status: Int
  ) -> HTTPResponse {
    let answer = JSONWriter.object(capacity: 768) { json in
      json.member("group_reservation") { reservation.write(to: &$0, company) }
    }
    return HTTPResponse(status: status, json: answer)
  }

  // MARK: Rooms

  private func listRooms(_ request: HTTPRequest) async throws(StreemFailure) -> HTTPResponse {
    let code = try await callerCompany(request)
    guard let reference = request.parameter("reference_id"), !reference.isEmpty else {
      throw StreemFailure(.invalidParameter.detailed("reference_id is missing in the query"))
    }
    let now = services.wallTime
    let found = try await asking { () async throws(GatewayError) in
      try await rooms.rooms(of: code, referenceID: Name(reference), limit: Self.roomsMax, at: now)
    }
    let answer = JSONWriter.object(capacity: 64 + 256 * found.count) { json in
      json.member("rooms", objects: found) { room, json in
        json.member("room_sid", room.sid.text)
        json.member("reference_id", orNull: room.referenceID?.text)
        json.member("state", room.state.rawValue)
        json.member("created_at", secondsOf: room.createdAt.nanoseconds)
      }
    }
    return HTTPResponse(status: 200, json: answer)
  }

  private func share(_ request: HTTPRequest, _ sid: Name) async throws(StreemFailure) -> HTTPResponse {
    let code = try await callerCompany(request)
    let token = StreemShareToken.draw(from: inviting.secrets)
    let now = services.wallTime
    let room = try await asking { () async throws(GatewayError) in
      try await rooms.share(sid, of: code, by: token.hash, at: now)
    }
    let answer = JSONWriter.object(capacity: 256) { json in
      json.member("share_token") { json in
        json.member("room_sid", room.sid.text)
        json.member("share_url", "https://\(code).streem.us/share/\(token.text)/details/\(room.sid)")
      }
    }
    return HTTPResponse(status: 201, json: answer)
  }
}

extension JSONWriter {
  /// Writes a company as in the REST API.
  mutating func member(_ name: StaticString, _ company: StreemCompany) {
    member(name) { json in
      json.member("sid", company.sid)
      json.member("code", company.code.text)
      json.member("name", company.name)
      json.member("active", company.isActive)
    }
  }
}
