internal import GatewayCore
internal import GatewayJSON

/// A poll as JSON.
struct SendbirdPollObject {
  let poll: SendbirdPoll
  /// The user whose own votes are shown; nil for none.
  let viewer: UserID?
  let now: WallTime

  func writeMembers(to json: inout JSONWriter) {
    json.member("id", poll.id)
    json.member("title", poll.title)
    json.member("created_at", poll.createdAt.milliseconds)
    json.member("updated_at", poll.updatedAt.milliseconds)
    // -1 means never.
    json.member("close_at", poll.closeAt?.milliseconds ?? -1)
    json.member("status", poll.isOpen(at: now) ? "open" : "closed")
    if let message = poll.message { json.member("message_id", message) }
    if let data = poll.data { json.member("data") { $0.member("text", data) } }
    json.member("voter_count", Int64(poll.voters.count))
    if let creator = poll.createdBy { json.member("created_by", creator.rawValue) }
    json.member("allow_user_suggestion", poll.allowsSuggestions)
    json.member("allow_multiple_votes", poll.allowsMultipleVotes)
    json.member("options", objects: poll.options) { option, json in Self.write(option, of: poll, to: &json) }
    guard let viewer else { return }
    json.name("voted_option_ids")
    json.beginArray()
    for option in poll.options where option.voters.contains(viewer) { json.integer(option.id) }
    json.endArray()
  }

  static func write(_ option: SendbirdPoll.Option, of poll: SendbirdPoll, to json: inout JSONWriter) {
    json.member("poll_id", poll.id)
    json.member("id", option.id)
    json.member("text", option.text)
    if let creator = option.createdBy { json.member("created_by", creator.rawValue) }
    json.member("created_at", option.createdAt.milliseconds)
    json.member("updated_at", option.updatedAt.milliseconds)
    json.member("vote_count", Int64(option.voters.count))
  }

  /// Writes the members of `VOTE`: the number of votes for each option.
  static func writeVote(_ poll: SendbirdPoll, _ delivery: SendbirdDelivery, at now: WallTime, to json: inout JSONWriter)
  {
    json.member("channel_url", delivery.message.channelURL.text)
    json.member("channel_type", delivery.kind.rawValue)
    json.member("poll_id", poll.id)
    json.member("message_id", delivery.message.id)
    json.member("updated_vote_counts", objects: poll.options) { option, json in
      json.member("option_id", option.id)
      json.member("vote_count", Int64(option.voters.count))
    }
    json.member("voter_count", Int64(poll.voters.count))
    json.member("updated_at", poll.updatedAt.milliseconds)
    json.member("ts", now.milliseconds)
  }
}

extension SendbirdChannelEvents {
  /// Announces a vote.
  func voted(
    _ poll: SendbirdPoll, _ delivery: SendbirdDelivery, except speaker: ConnectionID?, on services: any GatewayServices
  ) async {
    let now = services.wallTime
    let frame = SendbirdFrame.command("VOTE", capacity: 512) {
      SendbirdPollObject.writeVote(poll, delivery, at: now, to: &$0)
    }
    await changed(frame, delivery, except: speaker, on: services)
  }

  /// Announces a changed or closed poll with `PEDI`.
  func edited(_ poll: SendbirdPoll, _ delivery: SendbirdDelivery, on services: any GatewayServices) async {
    let now = services.wallTime
    let frame = SendbirdFrame.command("PEDI", capacity: 1_024) { json in
      json.member("channel_url", delivery.message.channelURL.text)
      json.member("channel_type", delivery.kind.rawValue)
      json.member("message_id", delivery.message.id)
      json.member("poll") { SendbirdPollObject(poll: poll, viewer: nil, now: now).writeMembers(to: &$0) }
      json.member("ts", now.milliseconds)
    }
    await changed(frame, delivery, except: nil, on: services)
  }
}
