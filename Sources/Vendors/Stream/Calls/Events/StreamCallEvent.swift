internal import GatewayCore
internal import GatewayJSON

/// An event of a call, as its watchers receive it.
struct StreamCallEvent: Sendable {
  let kind: Kind
  let picture: StreamCallPicture
  /// The first of the members who missed the call; empty for other events.
  let missed: [StreamCallMember]
  let at: WallTime

  /// The kind of an event and its payload, e.g. `call.ended`.
  enum Kind: Sendable {
    case created
    case updated
    case deleted
    case ended(by: UserID?)
    case liveStarted
    case sessionStarted(String)
    case sessionEnded(String)
    case participantJoined(StreamCallParticipant, session: String)
    case participantLeft(StreamCallParticipant, session: String)
    case participantsCounted(session: String, byRole: [Name: Int], anonymous: Int)
    case membersAdded([StreamCallMember])
    /// Members whose role changed. Other changes of members are ``membersUpdated(_:)``.
    case memberRolesChanged([StreamCallMember])
    case membersUpdated([StreamCallMember])
    case membersRemoved([UserID])
    case ring(by: UserID, session: String, to: [UserID])
    case notification(by: UserID, session: String, to: [UserID])
    case accepted(by: UserID)
    case rejected(by: UserID, reason: String?)
    case missed([UserID], by: UserID, session: String)
    case blocked(UserID, by: UserID?)
    case unblocked(UserID)
    case kicked(UserID, by: UserID?)
    case muted([UserID], by: UserID)
    case permissionRequest([String], by: UserID)
    case permissions([String], of: UserID)
    case reaction(type: String, emoji: String?, custom: StreamCustom, by: UserID)
    case custom(StreamCustom, by: UserID)
    case egress(StreamEgressEvent)
    /// A frame was taken for a frame recording.
    case frame(StreamEgress.Run)
    case caption(StreamCaption)
    case feedback(StreamFeedback)
    /// The participants who are now pinned for all participants.
    case pinned([StreamCallPin])
  }

  /// Whether only participants receive the event, from the SFU.
  var isOfMediaOnly: Bool { if case .pinned = kind { true } else { false } }

  /// The value of `type`.
  var type: String {
    switch kind {
    case .created: "call.created"
    case .updated: "call.updated"
    case .deleted: "call.deleted"
    case .ended: "call.ended"
    case .liveStarted: "call.live_started"
    case .sessionStarted: "call.session_started"
    case .sessionEnded: "call.session_ended"
    case .participantJoined: "call.session_participant_joined"
    case .participantLeft: "call.session_participant_left"
    case .participantsCounted: "call.session_participant_count_updated"
    case .membersAdded: "call.member_added"
    case .memberRolesChanged: "call.member_updated_permission"
    case .membersUpdated: "call.member_updated"
    case .membersRemoved: "call.member_removed"
    case .ring: "call.ring"
    case .notification: "call.notification"
    case .accepted: "call.accepted"
    case .rejected: "call.rejected"
    case .missed: "call.missed"
    case .blocked: "call.blocked_user"
    case .unblocked: "call.unblocked_user"
    case .kicked: "call.kicked_user"
    case .muted: "call.user_muted"
    case .permissionRequest: "call.permission_request"
    case .permissions: "call.permissions_updated"
    case .reaction: "call.reaction_new"
    case .custom: "custom"
    case .egress(let event): event.type
    case .frame: "call.frame_recording_ready"
    case .caption: "call.closed_caption"
    case .feedback: "call.user_feedback_submitted"
    case .pinned: ""
    }
  }

  /// Returns the event as a frame.
  func frame(_ family: StreamFamily) -> Frame {
    Frame(
      .text,
      JSONWriter.object(capacity: 4096) { json in
        json.member("type", type)
        json.member("created_at", at, family.dates)
        json.member("call_cid", picture.call.id.cid)
        if kind.showsCall {
          json.name("call")
          picture.write(to: &json, family)
        }
        writeMembers(to: &json, family)
      })
  }

  private func writeMembers(to json: inout JSONWriter, _ family: StreamFamily) {
    switch kind {
    case .deleted, .liveStarted, .pinned:
      return
    case .created:
      write(picture.members, to: &json, family)
    case .updated:
      picture.call.roleGrants.writeCapabilities(to: &json)
    case .ended(let user):
      if let user { json.member("user", picture.user(user), family) }
    case .sessionStarted(let session), .sessionEnded(let session):
      json.member("session_id", session)
    case .participantJoined(let participant, let session), .participantLeft(let participant, let session):
      json.member("session_id", session)
      json.name("participant")
      picture.write(participant, to: &json, family)
      if case .participantLeft = kind {
        json.member("duration_seconds", max(0, (at - participant.joinedAt).components.seconds))
      }
    case .participantsCounted(let session, let byRole, let anonymous):
      json.member("session_id", session)
      json.member("anonymous_participant_count", Int64(anonymous))
      json.member("participants_count_by_role") { json in
        for (role, count) in byRole.sorted(by: { $0.key < $1.key }) {
          json.name(role.text)
          json.integer(Int64(count))
        }
      }
    case .membersAdded(let members), .memberRolesChanged(let members), .membersUpdated(let members):
      write(members.prefix(StreamCallPicture.membersMax), to: &json, family)
      if case .memberRolesChanged = kind { picture.call.roleGrants.writeCapabilities(to: &json) }
    case .membersRemoved(let users):
      json.member("members", strings: users.map(\.rawValue))
    case .ring, .notification, .accepted, .rejected, .missed:
      writeRing(to: &json, family)
    case .blocked, .unblocked, .kicked, .muted, .permissionRequest, .permissions:
      writeModeration(to: &json, family)
    case .reaction(let type, let emoji, let custom, let user):
      json.member("reaction") { json in
        StreamCallEvent.writeReaction(type, emoji, custom, picture.user(user), to: &json, family)
      }
    case .custom(let custom, let user):
      json.member("custom", custom: custom)
      json.member("user", picture.user(user), family)
    case .egress(let event):
      event.write(of: picture.call.id, to: &json, family)
    case .frame(let run):
      picture.writeFrame(of: run, at: at, to: &json, family)
    case .caption(let caption):
      caption.write(by: picture.user(caption.user), to: &json, family)
    case .feedback(let feedback):
      feedback.writeEvent(by: picture.user(feedback.user), to: &json, family)
    }
  }

  private func writeRing(to json: inout JSONWriter, _ family: StreamFamily) {
    switch kind {
    case .ring(let user, let session, _), .notification(let user, let session, _):
      json.member("session_id", session)
      json.member("user", picture.user(user), family)
      write(picture.members, to: &json, family)
      if case .ring = kind { json.member("video", picture.call.isVideo) }
    case .missed(_, let user, let session):
      json.member("session_id", session)
      json.member("user", picture.user(user), family)
      // The event lists the members who missed the call, not all who were rung.
      write(missed, to: &json, family)
      json.member("notify_user", false)
    case .accepted(let user):
      json.member("user", picture.user(user), family)
    case .rejected(let user, let reason):
      json.member("user", picture.user(user), family)
      if let reason { json.member("reason", reason) }
    default:
      return
    }
  }

  private func writeModeration(to json: inout JSONWriter, _ family: StreamFamily) {
    switch kind {
    case .blocked(let user, let by):
      json.member("user", picture.user(user), family)
      if let by { json.member("blocked_by_user", picture.user(by), family) }
    case .unblocked(let user):
      json.member("user", picture.user(user), family)
    case .kicked(let user, let by):
      json.member("user", picture.user(user), family)
      if let by { json.member("kicked_by_user", picture.user(by), family) }
    case .muted(let users, let by):
      json.member("from_user_id", by.rawValue)
      json.member("muted_user_ids", strings: users.map(\.rawValue))
      json.member("reason", "moderation")
    case .permissionRequest(let permissions, let user):
      json.member("permissions", strings: permissions)
      json.member("user", picture.user(user), family)
    case .permissions(let capabilities, let user):
      json.member("own_capabilities", strings: capabilities)
      json.member("user", picture.user(user), family)
    default:
      return
    }
  }

  private func write(_ members: some Sequence<StreamCallMember>, to json: inout JSONWriter, _ family: StreamFamily) {
    json.name("members")
    picture.write(members: members, to: &json, family)
  }

  /// Writes the members of a `VideoReactionResponse`.
  static func writeReaction(
    _ type: String, _ emoji: String?, _ custom: StreamCustom, _ user: StreamUser, to json: inout JSONWriter,
    _ family: StreamFamily
  ) {
    json.member("type", type)
    if let emoji { json.member("emoji_code", emoji) }
    json.member("custom", custom: custom)
    json.member("user", user, family)
  }
}

extension StreamGrants {
  /// Writes the capabilities of each role in calls of the type.
  func writeCapabilities(to json: inout JSONWriter) {
    json.member("capabilities_by_role") { json in
      for (role, _) in listed {
        json.name(role.text)
        json.beginArray()
        let names = rights(of: role).all.intersection(StreamCapability.listed).map(\.rawValue)
        for name in names.sorted() { json.string(name) }
        json.endArray()
      }
    }
  }
}
