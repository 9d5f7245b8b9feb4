// Words of integration work: names of products that are reached through their API or an MCP server.

import { listed, type RuleWords } from './rule-words.ts';

export const INTEGRATION_WORDS: RuleWords = {
  keywords: listed(`
    =notion!, =slack!, ^linear!, =jira!, =asana!, =trello!, =confluence!, =airtable!, =clickup!, =zapier!, =zendesk!,
    =hubspot!, =salesforce!, =intercom!, =discord!, =gmail!, =basecamp!, =pagerduty!, =mailchimp!,
    =twilio!, =sendgrid!, =telegram!, =whatsapp!, =mcp!, =ifttt!, =todoist!, =dropbox!, =shopify!, =n8n!, =freshdesk!,
    =opsgenie!, =pipedrive!, microsoft teams!, ms teams!, google calendar!, google sheet!, google drive!, google doc!,
    google workspace!, outlook calendar!, linear issue!, linear ticket!, linear project!, linear cycle!, linear task!,
    in linear!, to linear!, from linear!, via linear!, slack channel!, slack message!, notion page!, notion database!,
    integrate, integration, webhook, connector, slackbot!, integracion*, integrar*, entegrasyon*, entegre, integrier*,
    integrer, integracao, интеграци*,
    =monday =com!, =outlook, office 365!, =sharepoint!, =onedrive!, =calendly!, =typeform!, =quickbooks!, =mattermost!, =webex!, =wrike!,
    =smartsheet!, =miro!, =evernote!, =klaviyo!, =marketo!, =servicenow!, =make =com!, power automate!, google chat!, google meet!,
    google kalender*!, google takvim*!, google agenda!, google calendario!, google tabellen!, google contact!, google form!, =youtrack!,
    =stripe, =zoom =meeting, ms graph, zap, anbindung, schnittstelle zu, enlaza*, conecta*, connecte*, raccorde*, collegare, интегрир*,
    連携, 統合, 集成, 对接, 연동*, تكامل, سلاك`),
  hints: listed(`
    =linear, sync, synchronize, synchronise, workspace, channel, ticket, notify, notification, third party, api key, oauth, bot,
    connect, crm, team chat, chat, calendar, github issue, kanal*, bildirim*, senkron*, canal, notificacion*,
    ping, dm, direct message, backlog, sprint, subscriber, assign, =ops, kalender*, termin*, nachricht*,
    mesaj*, takvim*, gorev*, mensaje*, tarea*, calendario, tache*, agenda, mensagem*, tarefa*, cartao, messaggio, сообщени*, канал*, задач*,
    календар*, チャンネル, メッセージ, 投稿, 通知, 频道, 消息, 채널*, 메시지*, قناة, رسالة`),
  exceptions: listed(`
    linear algebra, linear regression, linear equation, linear function, linear time, linear programming, linear model,
    linear search, linear interpolation, linear gradient, linear transformation, linear system, linear combination,
    linear layer, linear scale, linear map, linear order, linear complexity, linear growth, linear scaling, linear path,
    linear space, linear probing, linear relationship, linear story, linear narrative, linear fashion, linear probe,
    linear discriminant, linear classifier, linear congruential, linear independence, linear operator, linear easing,
    non linear, piecewise linear,
    notion of, notion that, no notion, the notion is, any notion, some notion, vague notion, preconceived notion, this notion,
    some slack, slack off, slack in, slack variable, slack time, no slack, the slack, enough slack, slack rope, slack line,
    system integration test, integration test, numerical integration, integration by parts, integration constant,
    continuous integration, integrate the function, integrate over, integrate from, integrate x, integrate sin,
    slack + rope|cable|chain|tension|cut|jaw|tide|lazy, notion + philosophy|philosophical|belief|romantic|absurd|ancient|quaint,
    =linear + equation|vector|actuator|motion|algebra|polynomial|slope, integration + european|immigrant|racial|refugee|calculus|integral|sensory,
    integrate + society|immigrant|refugee|integral, connector + cable|usb|pin|hdmi|wire|socket, telegram + war|zimmermann,
    discord + family|marital|society|harmony, intercom + door|building|apartment|bell, =stripe + zebra|tiger|paint, zap + mosquito|static,
    =outlook + economic|weather|positive|life|negative|growth|market, =miro + painter|painting|joan, conecta* + corriente|bateria`),
};
