internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

// Messages to the webhooks of companies.

extension StreemRoutes {
  /// Queues a message about a changed reservation for each webhook of the company, and returns without waiting for any.
  func tell(_ company: StreemCompany, _ before: StreemReservation, _ after: StreemReservation) async {
    guard let webhooks,
      let all = try? await directory.webhooks(of: company.code, at: services.wallTime), !all.isEmpty
    else { return }
    let event = JSONWriter.object(capacity: 1_536) { json in
      json.member("event_type", "group_reservation_updated")
      json.member("payload") { json in
        json.member("previous_group_reservation") { before.write(to: &$0, company) }
        json.member("updated_group_reservation") { after.write(to: &$0, company) }
      }
    }
    for webhook in all { webhooks.post(webhook.message(event, about: after.sid)) }
  }
}

extension StreemWebhook {
  /// Returns the messages of an earlier process, signed with the keys that their webhooks have now; nil for a webhook that is no more.
  static func restored(
    _ rows: [StoredWebhook], by directory: StreemDirectory, at now: WallTime
  ) async throws(StoreError) -> [Webhook?] {
    let known = try await directory.webhooks(rows.map { ($0.application, Name($0.notes.first ?? "")) }, at: now)
    return zip(rows, known).map { row, webhook in
      guard var webhook else { return nil }
      webhook.url = row.url
      return webhook.message(Array(row.body.utf8), about: row.key)
    }
  }

  /// Returns the message about an event.
  fileprivate func message(_ event: [UInt8], about subject: Name) -> Webhook {
    let rule = WebhookRule(
      timeout: .milliseconds(timeoutMilliseconds), attemptsMax: attemptsMax, repeated: .anyFailure)
    return Webhook(
      StreemDialect.name, of: company, to: url, method: method, about: subject, event, rule: rule,
      signedIn: "streem-signature", notes: [sid.text],
      dated: { now in
        JSONWriter.object(capacity: event.count + 80) { json in
          json.name("event")
          json.raw(String(decoding: event, as: UTF8.self))
          json.member("sent_at", now.rfc3339(fractionDigits: 3))
        }
      }, fields: { _, now, body in fields(body, at: now) })
  }

  /// Returns the header fields of a body that is sent at `now`. The signature covers the time, the company's own fields that
  /// are signed, by name, and the body; there is one for each key.
  private func fields(_ body: [UInt8], at now: WallTime) -> [HTTPField] {
    let own = headers ?? []
    let time = Header(name: "Streem-Sent-At", value: now.rfc3339(fractionDigits: 3), isSigned: true)
    let signed = [time] + own.filter(\.isSigned).sorted { Name($0.name) < Name($1.name) }
    let text = signed.map { "\($0.name)=\($0.value);" }.joined()
    let signatures = keys.compactMap(\.secret).map { secret in
      Webhook.hex(HMACSHA256.code(key: Array(secret.utf8), Array(text.utf8) + body))
    }
    var fields = own.map { HTTPField($0.name, $0.value) }
    fields.append(HTTPField("content-type", "application/json"))
    fields.append(HTTPField(time.name, time.value))
    fields.append(HTTPField("Streem-Signature-Headers", signed.map(\.name).joined(separator: ":")))
    // Without a key there is nothing to sign with.
    if !signatures.isEmpty { fields.append(HTTPField("Streem-Signature", signatures.joined(separator: ","))) }
    return fields
  }
}
