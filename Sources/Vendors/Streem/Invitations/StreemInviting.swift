internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit
internal import GatewayTokens

/// The creation and use of invitations.
struct StreemInviting: Sendable {
  let directory: StreemDirectory
  let keyring: StreemKeyring
  let settings: StreemSettings
  let secrets: Secrets

  /// How many codes are tried before the table counts as full of valid ones.
  private static let drawsMax = 20

  /// A new invitation, with the data that only its creator receives.
  struct Made {
    let invitation: StreemInvitation
    let code: StreemInvitationCode
    let kind: StreemInvitationOrder.Kind

    var url: String { "https://\(invitation.company).streem.us/i/\(code.digits)" }

    func write(to json: inout JSONWriter) {
      json.member("invitationSid", invitation.sid)
      json.member("invitationCode", code.text)
      json.member("url", url)
      json.member("invitationType", kind.rawValue)
      json.member("toName", invitation.toName)
      json.member("toPhone", orNull: invitation.toPhone)
      json.member("referenceId", orNull: invitation.referenceID)
      json.member("integrationId", orNull: invitation.integrationID)
      json.member("expiresAt", secondsOf: invitation.expiresAt.nanoseconds)
      // False for every type: the gateway sends no SMS.
      json.member("smsSent", false)
    }
  }

  /// Creates an invitation by an expert.
  func create(
    _ order: StreemInvitationOrder, by inviter: StreemUser, at now: WallTime
  ) async throws(StreemFailure) -> Made {
    guard inviter.isExpert, !inviter.isInvited else {
      throw StreemFailure(.notPermitted.detailed("only experts invite"))
    }
    if let phone = order.phone, order.kind == .phone { try checkReachable(phone) }
    let invitation = StreemInvitation(
      sid: StreemID.make("inv", from: secrets), company: inviter.company, inviter: inviter.id, toName: order.toUserName,
      toPhone: order.phone, referenceID: order.referenceID, integrationID: order.integrationID, createdAt: now,
      expiresAt: now + settings.invitationLife)
    do throws(GatewayError) {
      for _ in 0..<Self.drawsMax {
        let code = StreemInvitationCode.draw(from: secrets)
        if try await directory.addInvitation(invitation, codeHash: code.hash, at: now) {
          return Made(invitation: invitation, code: code, kind: order.kind)
        }
      }
      throw .tooMany.detailed("no code is free")
    } catch {
      throw StreemFailure(error)
    }
  }

  private func checkReachable(_ phone: String) throws(StreemFailure) {
    if settings.landlinePrefixes.contains(where: phone.hasPrefix) {
      throw StreemFailure(.landlinePhoneNumber, status: 400, "the number is a landline's, as configured")
    }
    if settings.unreachablePrefixes.contains(where: phone.hasPrefix) {
      throw StreemFailure(.smsDeliveryFailure, status: 400, "no SMS reaches the number, as configured")
    }
  }

  /// The result of using a code: the invitation, and a token to identify with.
  struct Entrance {
    let invitation: StreemInvitation
    let company: StreemCompany
    let inviter: StreemUser?
    let token: Credentials

    var json: [UInt8] {
      JSONWriter.object(capacity: 1024) { json in
        json.member("details") { json in
          json.member("user") { json in
            json.member("uid", invitation.inviter.text)
            json.member("displayName", orNull: inviter?.name)
            json.member("photoURL", orNull: inviter?.avatarURL)
          }
          json.member("company") { json in
            json.member("companyCode", company.code.text)
            json.member("name", company.name)
            json.member("logoUrl", orNull: company.logoURL)
          }
          json.member("invitationSid", invitation.sid)
          json.member("referenceId", orNull: invitation.referenceID)
          json.member("name", invitation.toName)
          json.member("toPhone", orNull: invitation.toPhone)
          json.member("expiresAt", secondsOf: invitation.expiresAt.nanoseconds)
        }
        json.member("identity") { json in
          json.member("token", token.token)
          json.member("name", invitation.toName)
          json.member("avatarUrl", orNull: nil)
          // A user with a code is always a customer, whatever the request says.
          json.member("isExpert", false)
          json.member("companyCode", company.code.text)
        }
      }
    }
  }

  /// Admits a user with a code. Unknown, expired and malformed codes get the same answer.
  func enter(_ text: String, from address: String, at now: WallTime) async throws(StreemFailure) -> Entrance {
    let invalid = StreemFailure(.invitationInvalid, status: 404, "no invitation has this code, or no longer")
    guard let code = StreemInvitationCode(text) else { throw invalid }
    let outcome: StreemInvitationOutcome
    do throws(GatewayError) {
      outcome = try await directory.takeInvitation(
        codeHash: code.hash, from: address, limits: settings.tries, at: now)
    } catch {
      throw StreemFailure(error)
    }
    switch outcome {
    case .taken(let invitation):
      return try await admit(invitation, at: now)
    case .consumed:
      throw StreemFailure(.invitationConsumed, status: 410, "the invitation has been used")
    case .invalid:
      throw invalid
    case .limited(let wait):
      var failure = StreemFailure(.tooMany.detailed("too many wrong codes"))
      failure.headers.append(.retryAfter(wait))
      throw failure
    }
  }

  private func admit(_ invitation: StreemInvitation, at now: WallTime) async throws(StreemFailure) -> Entrance {
    do throws(GatewayError) {
      guard let company = try await directory.company(invitation.company, at: now) else { throw .companyUnknown }
      guard company.isActive else { throw .companyForbidden.detailed("the company is not active") }
      let subject = Name(StreemID.make("inv", from: secrets))
      let login = StreemLogin(
        company: company.code, externalID: subject, newID: Name(StreemID.make("usr", from: secrets)),
        name: invitation.toName,
        isExpert: false, invitedBy: invitation.inviter)
      _ = try await directory.identify(login, at: now)
      let issuer = try await keyring.issuer(for: company.code, at: now)
      return Entrance(
        invitation: invitation, company: company, inviter: try await directory.user(invitation.inviter, at: now),
        token: issuer.mint(subject, issuedAt: now, name: invitation.toName))
    } catch {
      throw StreemFailure(error)
    }
  }
}
