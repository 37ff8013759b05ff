internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Webhooks of companies' servers.

extension StreemRoutes {
  var webhookRoutes: [HTTPRoute] {
    [
      group.route("POST", "/v1/webhooks") { request, _ throws(StreemFailure) in
        let company = try await caller(request)
        let webhook = try await asking { () async throws(GatewayError) -> StreemWebhook in
          let webhook = try JSONObject.read(request.body) { (body) throws(GatewayError) in
            try StreemWebhook(body, company: company, sid: StreemID.make("wh", from: inviting.secrets))
          }
          try await directory.addWebhook(webhook, at: services.wallTime)
          return webhook
        }
        return Self.answer(201) { $0.member("webhook") { webhook.write(to: &$0, company) } }
      },
      group.route("GET", "/v1/webhooks") { request, _ throws(StreemFailure) in
        let company = try await caller(request)
        let webhooks = try await asking { () async throws(GatewayError) in
          try await directory.webhooks(of: company.code, at: services.wallTime)
        }
        return Self.answer(200) { $0.member("webhooks", objects: webhooks) { $0.write(to: &$1, company) } }
      },
      group.route("DELETE", "/v1/webhooks/{sid}") { request, parameters throws(StreemFailure) in
        let company = try await caller(request)
        try await asking { () async throws(GatewayError) in
          try await directory.removeWebhook(Name(parameters["sid"]), of: company.code, at: services.wallTime)
        }
        return Self.answer(200) { _ in }
      },
      group.route("POST", "/v1/webhooks/{sid}/signing-keys") { request, parameters throws(StreemFailure) in
        let company = try await caller(request)
        return try await asking { () async throws(GatewayError) -> HTTPResponse in
          let (secret, label) = try JSONObject.read(request.body) { (body) throws(GatewayError) in
            (try body.needed("shared_secret", bytes: 256), try body.needed("label", bytes: 200))
          }
          let key = StreemWebhook.SigningKey(
            sid: StreemID.make("whk", from: inviting.secrets), label: label, secret: secret)
          let webhook = try await directory.addSigningKey(
            key, to: Name(parameters["sid"]), of: company.code, at: services.wallTime)
          // Only this answer contains the secret.
          return Self.answer(201) { $0.member("signing_key") { key.write(to: &$0, of: webhook, secret: secret) } }
        }
      },
    ]
  }

  private static func answer(_ status: Int, _ body: (inout JSONWriter) -> Void) -> HTTPResponse {
    HTTPResponse(status: status, json: JSONWriter.object(capacity: 512, body))
  }
}

extension StreemWebhook {
  private static let methods = ["POST", "PUT"]

  fileprivate init(_ body: JSONObject, company: StreemCompany, sid: String) throws(GatewayError) {
    if let wanted = try body.text("company_sid"), Name(wanted) != Name(company.sid) { throw .companyUnknown }
    let url = try body.needed("url", bytes: 2_000)
    guard Self.isAddress(url) else {
      throw .invalidParameter.detailed("url must be http:// or https:// with a host, and without white space")
    }
    let method = try body.text("method") ?? "POST"
    guard Self.methods.contains(where: { $0.utf8.elementsEqual(method.utf8) }) else {
      throw .invalidParameter.detailed("method must be \(Self.methods.joined(separator: " or "))")
    }
    self.init(
      sid: Name(sid), company: company.code, label: try body.needed("label", bytes: 200), url: url, method: method,
      timeoutMilliseconds: try body.whole("timeout_ms", in: 1...60_000) ?? 5_000,
      attemptsMax: try body.whole("max_attempts", in: 1...100) ?? 1, headers: try Self.headers(body))
  }

  private static let headersMax = 20
  /// The fields that the gateway writes itself.
  private static let ownHeaders = [
    "connection", "content-length", "content-type", "host", "streem-sent-at", "streem-signature",
    "streem-signature-headers", "te", "trailer", "transfer-encoding", "upgrade",
  ]

  private static func headers(_ body: JSONObject) throws(GatewayError) -> [Header] {
    guard body.has("headers") else { return [] }
    let elements = body["headers"]?.elements ?? []
    let headers: [Header] = elements.compactMap { element in
      let signed = element["include_in_request_signature"]
      guard let name = element["name"]?.string, let value = element["value"]?.string, isHeader(name, value),
        signed == nil || signed?.bool != nil
      else { return nil }
      return Header(name: name, value: value, isSigned: signed?.bool ?? false)
    }
    guard body["headers"]?.elements != nil, headers.count == elements.count, headers.count <= headersMax else {
      throw .invalidParameter.detailed(
        "headers must be an array of at most \(headersMax) objects {name, value}, of fields that are not the gateway's")
    }
    return headers
  }

  private static func isHeader(_ name: String, _ value: String) -> Bool {
    let isName =
      (1...100).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
    return isName && !ownHeaders.contains { Name($0) == Name(name.lowercased()) } && value.utf8.count <= 1_000
      && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Returns whether the text has the form of an HTTP URL. The operator decides to which hosts webhooks are sent.
  private static func isAddress(_ text: String) -> Bool {
    let parts = text.utf8.split(separator: UInt8(ascii: ":"), maxSplits: 1)
    guard parts.count == 2, ["http", "https"].contains(String(decoding: parts[0], as: UTF8.self).lowercased()),
      parts[1].starts(with: "//".utf8), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
    else { return false }
    return parts[1].dropFirst(2).first.map { !"/?#".utf8.contains($0) } ?? false
  }

  fileprivate func write(to json: inout JSONWriter, _ company: StreemCompany) {
    json.member("sid", sid.text)
    json.member("company_sid", company.sid)
    json.member("label", label)
    json.member("url", url)
    json.member("method", method)
    json.member("timeout_ms", Int64(timeoutMilliseconds))
    json.member("max_attempts", Int64(attemptsMax))
    json.member("headers", objects: headers ?? []) { header, json in
      json.member("name", header.name)
      json.member("value", header.value)
      json.member("include_in_request_signature", header.isSigned)
    }
    json.member("signing_keys", objects: keys) { $0.write(to: &$1, of: self) }
  }
}

extension StreemWebhook.SigningKey {
  fileprivate func write(to json: inout JSONWriter, of webhook: StreemWebhook, secret: String? = nil) {
    json.member("sid", sid)
    json.member("webhook_sid", webhook.sid.text)
    if let secret { json.member("shared_secret", secret) }
    json.member("label", label)
  }
}
