internal import GatewayCore
internal import GatewayJSON

extension StreamAppSettings {
  /// Settings that Postern does not have, by the kind of value that clients decode.
  private static let absentSwitches = [
    "allow_multi_user_devices", "async_url_enrich_enabled", "auto_translation_enabled", "campaign_enabled",
    "disable_permissions_checks", "feed_audit_logs_enabled", "image_moderation_enabled",
    "member_custom_on_mentioned_users_enabled", "member_custom_on_messages_enabled",
    "member_custom_on_typing_events_enabled", "moderation_audio_call_moderation_enabled", "moderation_enabled",
    "moderation_keyframe_video_enabled", "moderation_llm_configurability_enabled",
    "moderation_multitenant_blocklist_enabled", "moderation_video_call_moderation_enabled", "multi_tenant_enabled",
    "suspended", "use_hook_v2", "user_response_time_enabled",
  ]
  private static let absentTexts = [
    "custom_action_handler_url", "moderation_webhook_url", "sns_key", "sns_secret", "sns_topic_arn", "sqs_key",
    "sqs_secret", "sqs_url", "suspended_explanation",
  ]
  private static let absentNumbers = [
    "cdn_expiration_seconds", "max_aggregated_activities_length", "reminders_interval",
  ]
  private static let absentLists = ["user_search_disallowed_roles"]
  private static let absentObjects = ["call_types", "channel_configs", "grants", "policies"]

  /// Writes the members of the application's object.
  func writeMembers(to json: inout JSONWriter, _ dates: StreamDates) {
    json.member("id", 1)
    json.member("name", "Postern")
    json.member("organization", "Postern")
    json.member("placement", "local")
    json.member("permission_version", "v2")
    json.member("enforce_unique_usernames", "no")
    json.member("disable_auth_checks", disablesAuthChecks)
    json.member("guest_user_creation_disabled", disablesGuestCreation)
    json.member("revoke_tokens_issued_before", ifAny: revokesTokensIssuedBefore, dates)
    for (names, value) in [
      (Self.absentSwitches, "false"), (Self.absentTexts, "\"\""), (Self.absentNumbers, "0"), (Self.absentLists, "[]"),
      (Self.absentObjects, "{}"),
    ] {
      for name in names {
        json.name(name)
        json.raw(value)
      }
    }
    json.member("webhook_url", eventHooks.older?.url ?? "")
    json.member("webhook_events", strings: eventHooks.older?.eventTypes ?? [])
    json.member("event_hooks", objects: eventHooks.hooks) { $0.write(to: &$1, dates) }
    // Nothing is uploaded or pushed.
    for name: StaticString in ["file_upload_config", "image_upload_config"] {
      json.member(name) { $0.member("size_limit", 0) }
    }
    json.member("push_notifications") { json in
      json.member("version", "v2")
      json.member("offline_only", false)
      json.member("apn") { json in
        json.member("enabled", false)
        json.member("development", false)
      }
      for provider: StaticString in ["firebase", "huawei", "xiaomi"] {
        json.member(provider) { $0.member("enabled", false) }
      }
    }
  }
}
