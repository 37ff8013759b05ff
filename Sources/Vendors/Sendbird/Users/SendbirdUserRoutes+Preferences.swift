internal import GatewayCore
internal import GatewayJSON
internal import GatewayKit

// Preferences of users: times and wording of pushes, and whether an invitation joins at once.

extension SendbirdUserRoutes {
  func preferenceRoutes(_ resource: SendbirdResource) -> [HTTPRoute] {
    let user = "/v3/users/{user_id}"
    let (push, template, invitation) = (
      user + "/push_preference", user + "/push/template", user + "/channel_invitation_preference"
    )
    return [
      resource.route("GET", push) { request throws(SendbirdError) in Self.answer(try await preference(request).push) },
      resource.route("PUT", push) { request throws(SendbirdError) in
        let change = try SendbirdPushChange(try request.body)
        return Self.answer(try await set(request) { change.apply(to: &$0.push) }.push)
      },
      resource.route("DELETE", push) { request throws(SendbirdError) in
        Self.answer(try await set(request) { $0.push = SendbirdPreference.Push() }.push)
      },
      resource.route("GET", template) { request throws(SendbirdError) in
        Self.answer(template: try await preference(request).template)
      },
      resource.route("PUT", template) { request throws(SendbirdError) in
        let name = try request.body.requiredString("name", max: SendbirdLimits.customType)
        guard ["default", "alternative"].contains(where: { $0.utf8.elementsEqual(name.utf8) }) else {
          throw .invalid("name")
        }
        return Self.answer(template: try await set(request) { $0.template = name }.template)
      },
      resource.route("GET", invitation) { request throws(SendbirdError) in
        Self.answer(joinsAtOnce: try await preference(request).joinsAtOnce)
      },
      resource.route("PUT", invitation) { request throws(SendbirdError) in
        guard let joins = try request.body.bool("auto_accept") else { throw .missing("auto_accept") }
        return Self.answer(joinsAtOnce: try await set(request) { $0.joinsAtOnce = joins }.joinsAtOnce)
      },
    ]
  }

  private func preference(_ request: SendbirdRequest) async throws(SendbirdError) -> SendbirdPreference {
    let user = try await owner(request)
    return try await ask { () throws(GatewayError) in
      try await preferences.preference(of: user.id, at: services.wallTime)
    }
  }

  private func set(
    _ request: SendbirdRequest, _ change: (inout SendbirdPreference) -> Void
  ) async throws(SendbirdError) -> SendbirdPreference {
    try request.needsWriter()
    let user = try await owner(request)
    return try await ask { () throws(GatewayError) in
      try await preferences.update(user.id, at: services.wallTime, change)
    }
  }

  // MARK: Answers

  private static func answer(template: String) -> HTTPResponse {
    SendbirdResource.answer { $0.member("name", template) }
  }

  private static func answer(joinsAtOnce: Bool) -> HTTPResponse {
    SendbirdResource.answer { $0.member("auto_accept", joinsAtOnce) }
  }

  private static func answer(_ push: SendbirdPreference.Push) -> HTTPResponse {
    SendbirdResource.answer { json in
      json.member("do_not_disturb", push.wantsQuiet)
      write(push.quiet, to: &json)
      json.member("dnd_schedules", objects: push.days) { day, json in
        json.member("day_of_week", day.name)
        json.member("time_windows", objects: day.windows) { window, json in write(window, to: &json) }
      }
      json.member("timezone", push.timeZone)
      json.member("push_trigger_option", push.trigger)
      json.member("push_sound", push.sound)
      json.member("snooze_enabled", push.isSnoozed)
      json.member("snooze_start_ts", push.snoozeStart)
      json.member("snooze_end_ts", push.snoozeEnd)
      json.member("enable_push_for_replies", push.includesReplies)
      json.member("block_push_from_bots", false)
      json.member("push_blocked_bot_ids", strings: [])
    }
  }

  private static func write(_ window: SendbirdPreference.Window, to json: inout JSONWriter) {
    json.member("start_hour", window.startHour)
    json.member("start_min", window.startMinute)
    json.member("end_hour", window.endHour)
    json.member("end_min", window.endMinute)
  }
}
